import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { compareCodePoints, type Declaration } from '@rollkey/contract/rules'
import type { UsedVariable } from './code.ts'

/** What the code of a folder uses. */
export interface UsedByCode {
  readonly declarations: readonly Declaration[]
  readonly files: number
  /** Files that are not JavaScript or TypeScript although their names say so. */
  readonly unreadable: readonly string[]
}

const extension = /\.[cm]?(?<kind>[jt])s(?<jsx>x)?$/
const skipped: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage', 'out', 'vendor'])
/** Larger files are bundles. */
const maxFileBytes = 2 * 1024 * 1024

/** Returns what the code below a folder reads from its environment, as declarations. */
export async function usedByCode(folder: string): Promise<UsedByCode> {
  // The parser is half of the command line, and would take a sixth of the start of every other command.
  const { variablesIn } = await import('./code.ts')
  const files = filesIn(folder)
  const unreadable: string[] = []
  const used = files.flatMap((file) => {
    const { kind, jsx } = extension.exec(file)?.groups ?? {}
    try {
      // Files of JavaScript have JSX whatever their names say. In .ts, <Type>value is a type.
      return variablesIn(readFileSync(path.join(folder, file), 'utf8'), kind === 't', kind === 'j' || jsx !== undefined)
    } catch {
      unreadable.push(file)
      return []
    }
  })
  return { declarations: declarationsOf(used), files: files.length, unreadable }
}

/** Returns the files with code, relative to the folder. Does not follow links. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => compareCodePoints(a.name, b.name))
    .flatMap((entry) => {
      const { name } = entry
      const isSkipped = name.startsWith('.') || skipped.has(name)
      if (entry.isDirectory())
        return isSkipped ? [] : filesIn(path.join(folder, name)).map((file) => path.join(name, file))
      const isCode = entry.isFile() && extension.test(name) && !/\.d\.[cm]?ts$/.test(name)
      return isCode && statSync(path.join(folder, name)).size <= maxFileBytes ? [name] : []
    })
}

/** A variable is required if some place has no fallback for it. */
function declarationsOf(used: readonly UsedVariable[]): Declaration[] {
  const names = [...new Set(used.map(({ name }) => name))].toSorted(compareCodePoints)
  return names.map((name) => {
    const places = used.filter((each) => each.name === name)
    const example = places.find(({ fallback }) => fallback !== undefined)?.fallback
    const isRequired = places.some((place) => place.isRequired)
    return { name, ...(isRequired && { required: 'all' as const }), ...(example !== undefined && { example }) }
  })
}
