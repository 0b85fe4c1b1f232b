/** What `rollkey import` reads: files of other tools, as names and values. */
import { listed } from '../formats/refuse.ts'
import { doppler, isDoppler } from './doppler.ts'
import { dotenv } from './dotenv.ts'
import { unreadable, type Entry, type Reader } from './entry.ts'
import { infisical, isInfisical } from './infisical.ts'
import { json } from './json.ts'
import { isVault, vault } from './vault.ts'

export const readers = { dotenv, json, infisical, doppler, vault } satisfies Record<string, Reader>

export type Source = keyof typeof readers

export interface ImportResult {
  /** Each name once. */
  readonly entries: readonly Entry[]
  /** What a person should know, a sentence each. */
  readonly notes: readonly string[]
}

/** What wrote the text, by its own marks and the end of the file's name; JSON of no known mark is names and values. */
export function detect(text: string, file: string): Source {
  if (/\.ya?ml$/i.test(file)) throw unreadable(file, '', 'YAML is not imported; give it as JSON')
  if (!/\.json$/i.test(file) && !/^\s*[{[]/.test(text)) return 'dotenv'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The reader tells where it is broken.
    return 'json'
  }
  if (isInfisical(value)) return 'infisical'
  if (isVault(value)) return 'vault'
  return isDoppler(value) ? 'doppler' : 'json'
}

/** Throws INVALID_IMPORT, also for what the service would refuse: nothing is written then, instead of a part. */
export function readImport(text: string, file: string, from: Source): ImportResult {
  const byName = new Map<string, Entry>()
  const repeated = new Set<string>()
  for (const entry of readers[from](text, file)) {
    if (byName.has(entry.name)) repeated.add(entry.name)
    byName.set(entry.name, entry)
  }
  const entries = [...byName.values()]
  expectWithinLimits(entries, file)
  const notes = repeated.size > 0 ? [`Given more than once, the last value is taken: ${listed([...repeated])}.`] : []
  return { entries, notes }
}

/** RULINGS, "Sizes". */
const name = /^\P{Cc}{1,256}$/u
const maxValueBytes = 65_536

function expectWithinLimits(entries: readonly Entry[], file: string): void {
  const noName = entries.find((entry) => !name.test(entry.name))
  if (noName) {
    const where = `, key ${JSON.stringify(noName.name)}`
    throw unreadable(file, where, 'A name has 1 to 256 characters, none of them a control character')
  }
  const large = entries.filter(({ value }) => Buffer.byteLength(value) > maxValueBytes)
  if (large.length > 0) {
    const what = `A value has ${maxValueBytes} bytes at most; larger are`
    throw unreadable(file, '', `${what} ${listed(large.map((entry) => entry.name))}`)
  }
}
