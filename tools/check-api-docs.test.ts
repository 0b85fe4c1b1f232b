import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { useFolder } from '../packages/server/testkit/folder.ts'

const folder = useFolder()

/** Writes a package whose entry point is `index.ts`. Returns its folder. */
function packageWith(name: string, files: Readonly<Record<string, string>>): string {
  const written = path.join(folder, name)
  mkdirSync(written)
  const manifest = JSON.stringify({ name, type: 'module', exports: { '.': { source: './index.ts' } } })
  for (const [file, text] of Object.entries({ 'package.json': manifest, ...files })) {
    writeFileSync(path.join(written, file), text)
  }
  return written
}

/** Runs the check. Returns the lines that it prints, with file names in place of paths. */
async function check(checked: string): Promise<{ status: number; lines: string[] }> {
  try {
    const { stderr } = await promisify(execFile)(process.execPath, ['tools/check-api-docs.ts', checked])
    return { status: 0, lines: linesOf(stderr) }
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string }
    return { status: code, lines: linesOf(stderr) }
  }
}

function linesOf(text: string): string[] {
  return text
    .replaceAll(/^\S*\//gm, '')
    .trimEnd()
    .split('\n')
}

const undocumented = `import type { Inner } from './inner.ts'
export const limits = {
  retries: 1,
} as const
/** Options. */
export interface Options extends Inner {
  /** Where it is. */
  readonly url?: string
  /** How long it waits. */
  readonly waitMs: number
}
/** Opens it. */
export function open(options: Options): void {}
/** A door. */
export class Door {
  readonly #lock = 1
  /** Closes it. Never throws. */
  close(): void {}
}
`

test('the documentation check finds what each rule asks for', async () => {
  const inner = 'export interface Inner {\n  readonly depth: number\n}\n'
  const { status, lines } = await check(packageWith('undocumented', { 'index.ts': undocumented, 'inner.ts': inner }))
  expect(status).toBe(1)
  expect(lines).toEqual([
    'index.ts:2: limits lacks a comment',
    'index.ts:3: limits.retries lacks a comment',
    'index.ts:8: Options.url lacks @default (or the word "absent" and what that means)',
    'index.ts:10: Options.waitMs lacks its unit (milliseconds)',
    'index.ts:13: open lacks @example, and so does what contains it',
    'index.ts:13: open lacks @throws (or the words "Never throws")',
    'index.ts:18: Door.close lacks @example, and so does what contains it',
    'inner.ts:1: Inner lacks a comment',
    'inner.ts:2: Inner.depth lacks a comment',
    '9 gaps in the documentation of the API; docs/style.md says what each comment has.',
  ])
})

const wrongExamples = `/**
 * Adds.
 *
 * @throws Nothing.
 * @example
 * const three: number = add(1, 2)
 * const four: string = add(2, 2)
 */
export function add(a: number, b: number): number {
  return a + b
}
`

test('the documentation check finds examples that do not compile', async () => {
  const readme = '# Adding\n\n```ts\nadd(1, 2)\nadd(1)\n```\n\n```sh\nadd 1\n```\n'
  const { status, lines } = await check(packageWith('adding', { 'index.ts': wrongExamples, 'README.md': readme }))
  expect(status).toBe(1)
  expect(lines).toEqual([
    "index.ts:7: Type 'number' is not assignable to type 'string'.",
    'README.md:5: Expected 2 arguments, but got 1.',
    '2 errors in examples; tools/api-docs/context.d.ts.txt declares what they may use.',
  ])
})

const documented = `/** A price. */
export interface Price {
  /** The amount, in cents. */
  readonly amount: number
  /** The currency. @default 'EUR' */
  readonly currency?: string
  /** The discount. Absent if there is none. */
  readonly discount?: number
}

/**
 * A till. Only its parts have comments that matter.
 *
 * @example
 * const till = new Till()
 * const { amount } = till.total({ amount: 100 })
 */
export class Till {
  #secret = 1
  /** @internal */
  hidden(): void {}
  /** Returns the total. Never throws. */
  total(price: Price): Price {
    return price
  }
}

/**
 * Returns an empty price, in cents.
 *
 * @throws {RangeError} On Sundays.
 * @example
 * import { none } from 'documented'
 *
 * const { amount } = none()
 */
export function none(): Price {
  return { amount: 0 }
}
`

test('the documentation check accepts complete documentation', async () => {
  expect(await check(packageWith('documented', { 'index.ts': documented }))).toEqual({ status: 0, lines: [''] })
})
