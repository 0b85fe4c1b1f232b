/** Readers of `rollkey import`: they turn files of other tools into names and values. */
import { limits } from '@rollkey/contract/rules'
import { joinNames } from '../formats/refuse.ts'
import { doppler, isDoppler } from './doppler.ts'
import { dotenv } from './dotenv.ts'
import { unreadable, type Entry, type Reader } from './entry.ts'
import { infisical, isInfisical } from './infisical.ts'
import { json } from './json.ts'
import { isVault, vault } from './vault.ts'

export const readers = { dotenv, json, infisical, doppler, vault } satisfies Record<string, Reader>

export type Format = keyof typeof readers

export interface FileResult {
  /** The secrets, each name once. */
  readonly entries: readonly Entry[]
  /** Notices for the user, one sentence each. */
  readonly notes: readonly string[]
}

/** Detects the tool that wrote the text by its marks and the file name. JSON without a known mark is names and values. */
export function detect(text: string, file: string): Format {
  if (/\.ya?ml$/i.test(file)) throw unreadable(file, '', 'YAML is not supported; convert it to JSON')
  if (!/\.json$/i.test(file) && !/^\s*[{[]/.test(text)) return 'dotenv'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The reader reports where the JSON is invalid.
    return 'json'
  }
  if (isInfisical(value)) return 'infisical'
  if (isVault(value)) return 'vault'
  return isDoppler(value) ? 'doppler' : 'json'
}

/** Reads a text. Throws INVALID_IMPORT also for data that the service would refuse, so that no part of it is written. */
export function readImport(text: string, file: string, from: Format): FileResult {
  const notes: string[] = []
  const byName = new Map<string, Entry[]>()
  for (const entry of readers[from](text, file, (sentence) => notes.push(sentence))) {
    const same = byName.get(entry.name)
    if (same) same.push(entry)
    else byName.set(entry.name, [entry])
  }
  // A later entry replaces an earlier one, at its place.
  const entries = [...byName.values()].map((each) => each.at(-1) as Entry)
  if (entries.length === 0)
    throw unreadable(file, '', 'The file has no variables, so nothing was written; check the program that wrote it')
  expectWithinLimits(entries, file)
  const repeated = [...byName].filter(([, each]) => each.length > 1)
  if (repeated.length > 0) {
    const names = repeated.map(([name, each]) => `${name}${linesText(each)}`)
    notes.push(`These names appear more than once, and the last value is used: ${joinNames(names)}.`)
  }
  return { entries, notes }
}

function linesText(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ line }) => line ?? [])
  return lines.length > 0 ? ` (lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)})` : ''
}

/** Valid names of variables (docs/api.md, "Variables"). */
const name = new RegExp(`^\\P{Cc}{1,${limits.nameCharacters}}$`, 'u')

/** Throws INVALID_IMPORT for data that the service would refuse. `file` names the file or the store. */
export function expectWithinLimits(entries: readonly Entry[], file: string): void {
  const noName = entries.find((entry) => !name.test(entry.name))
  if (noName) {
    const where = `, key ${JSON.stringify(noName.name)}`
    throw unreadable(file, where, 'A name must have 1 to 256 characters and no control characters')
  }
  const malformed = entries.filter(({ value }) => !value.isWellFormed())
  if (malformed.length > 0) {
    const what = 'A value must be Unicode text, but these contain half of a surrogate pair'
    throw unreadable(file, '', `${what}: ${joinNames(malformed.map((entry) => entry.name))}`)
  }
  const large = entries.filter(({ value }) => Buffer.byteLength(value) > limits.valueBytes)
  if (large.length > 0) {
    const what = `A value may have at most ${limits.valueBytes} bytes, but these are larger`
    throw unreadable(file, '', `${what}: ${joinNames(large.map((entry) => entry.name))}`)
  }
}
