/** What RESULTS.md shows: the newest result of each part. They are kept in results.json, so that one part can be measured again. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Result } from './part.ts'
import { svgOf } from './plot.ts'
import { pageOf } from './report.ts'

const file = path.join(import.meta.dirname, 'results.json')

function pictureOf(name: string): string {
  return `results-${name}.svg`
}

function read(): Record<string, Result> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Result>
}

/** Replaces the result of a part, and writes the page and the part's plot. `order`: the names of all parts, as on the page. */
export function record(name: string, result: Result, order: readonly string[]): void {
  const all = { ...read(), [name]: result }
  const results = new Map(
    order.flatMap((part) => {
      const known = all[part]
      return known ? [[part, known] as const] : []
    }),
  )
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(results), undefined, 1)}\n`)
  writeFileSync(path.join(import.meta.dirname, 'RESULTS.md'), pageOf(results, pictureOf))
  const { plot } = result.section
  if (plot) writeFileSync(path.join(import.meta.dirname, pictureOf(name)), svgOf(plot))
}
