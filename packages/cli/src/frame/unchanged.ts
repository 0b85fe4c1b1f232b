/**
 * What a write would not change, so that it writes nothing. `set` compares only values that people see without a reveal, because reading
 * others is a billing event. `import` reads them, once for each thousand.
 */
import { isMoreExposed, limits, writeEntryOf } from '@rollkey/contract/rules'
import { RollkeyError, type Client, type WriteEntry } from '@rollkey/sdk'
import type { ListedVariable } from '@rollkey/sdk/core'
import type { Option } from './command.ts'
import type { Context } from './context.ts'

export interface ForceOptions {
  readonly force?: true
}

export const forceOption: Option = ['--force', 'also write what is stored already, in a new revision']

/** Returns the names of the entries that a stage has exactly so. */
export async function unchangedNames(
  client: Client,
  entries: readonly WriteEntry[],
  existing: ReadonlyMap<string, ListedVariable>,
): Promise<ReadonlySet<string>> {
  if (!entries.some(({ name }) => isMoreExposed(existing.get(name)?.exposure))) return new Set()
  const plain = await plainValues(client)
  const stored = new Map(plain.map((entry) => [entry.name, entry]))
  return new Set(entries.filter((entry) => hasAll(stored.get(entry.name), entry)).map(({ name }) => name))
}

/** The names of the entries that a stage has exactly so. */
export interface Comparison {
  readonly same: ReadonlySet<string>
  /** The error for which some could not be compared; undefined if all were. */
  readonly refusal?: RollkeyError
}

/** Compares entries with a stage, secrets too if the caller may read it. */
export async function compareWithStage(
  client: Client,
  entries: readonly WriteEntry[],
  existing: ReadonlyMap<string, ListedVariable>,
): Promise<Comparison> {
  const same = new Set(await unchangedNames(client, entries, existing))
  const others = entries.filter(({ kind, name }) => existing.get(name)?.kind === kind && !same.has(name))
  try {
    for (let start = 0; start < others.length; start += limits.entries) {
      const some = new Map(others.slice(start, start + limits.entries).map((entry) => [entry.name, entry]))
      const { variables } = await client.manage.stage.ruleset({ names: [...some.keys()] })
      for (const variable of variables)
        if (hasAll({ ...existing.get(variable.name), ...variable }, some.get(variable.name) ?? {}))
          same.add(variable.name)
    }
    return { same }
  } catch (error) {
    if (error instanceof RollkeyError) return { same, refusal: error }
    throw error
  }
}

/** Reads the values that are not secret. Returns none to who may not read them now, such as a service token. */
async function plainValues(client: Client): Promise<readonly WriteEntry[]> {
  try {
    return (await client.manage.stage.plainValues()).variables.map((entry) => writeEntryOf(entry) as WriteEntry)
  } catch (error) {
    if (error instanceof RollkeyError) return []
    throw error
  }
}

/** Returns whether a stored variable has every field that a change states. What it does not state stays as stored. */
function hasAll(stored: object | undefined, change: object): boolean {
  if (!stored) return false
  const fields: Readonly<Record<string, unknown>> = { exposure: 'secret', ...stored }
  return Object.entries(change).every(
    ([field, value]) =>
      value === undefined || JSON.stringify(cleared(value)) === JSON.stringify(cleared(fields[field])),
  )
}

/** Returns the present revision if a change without values would change nothing, unless it is forced. */
export async function unchangedRevision(
  client: Client,
  name: string,
  change: object,
  { force }: ForceOptions,
): Promise<number | undefined> {
  if (force) return undefined
  const { variables, revision } = await client.list()
  const stored = variables.find((each) => each.name === name)
  return hasAll(stored, change) ? revision : undefined
}

/** Tells that nothing was written. */
export function sayUnchanged({ out }: Context, name: string, revision: number, what: string): void {
  if (out.isJson) return out.json({ name, change: 'unchanged', revision })
  out.note(`${name} has ${what} already: nothing written (revision ${revision}). Add --force to write it.`)
}

/** Returns a value as it is stored: an empty text and null clear a field. */
function cleared(value: unknown): unknown {
  return value === '' || value === undefined ? null : value
}
