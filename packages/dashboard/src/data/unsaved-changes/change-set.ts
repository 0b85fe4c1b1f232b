/** Changes that are collected before they are saved together. They have values, so they stay in the memory of the page. */
import type { HistoryChange } from '@rollkey/sdk/core'
import type { Digested, WriteEntry } from '@rollkey/contract'
import { attributesOf, compareCodePoints, limits } from '@rollkey/contract/rules'
import { PageError } from '../../service/errors.ts'
import { labels } from '../variables/labels.ts'
import { type Cell, differences, factsOf, type Row, type StageContents } from '../variables/comparison.ts'

export interface PendingChange {
  readonly stageSlug: string
  readonly name: string
  /** The variable as the table showed it. Undefined: the stage did not have it. */
  readonly before: Digested | undefined
  /** The new state. Undefined: a deletion. */
  readonly entry: WriteEntry | undefined
  /** The revision of the stage that the table showed. */
  readonly seen: number
}

type Effect = 'new' | 'changed' | 'deleted'

export const effectNames: Readonly<Record<Effect, string>> = { new: 'New', changed: 'Changed', deleted: 'Deleted' }

export function effectOf({ before, entry }: PendingChange): Effect {
  if (!entry) return 'deleted'
  return before ? 'changed' : 'new'
}

/** Adds changes, of which the last one of each variable counts. Deleting what a stage does not have is not a change. */
export function withChanges(
  pending: readonly PendingChange[],
  added: readonly PendingChange[],
): readonly PendingChange[] {
  const changes = new Map(
    [...pending, ...added].map((change) => [JSON.stringify([change.stageSlug, change.name]), change]),
  )
  return [...changes.values()].filter(({ before, entry }) => before ?? entry)
}

export function changeAt(
  changes: readonly PendingChange[],
  stageSlug: string,
  name: string | undefined,
): PendingChange | undefined {
  return changes.find((change) => change.stageSlug === stageSlug && change.name === name)
}

export function byStage(changes: readonly PendingChange[]): ReadonlyMap<string, readonly PendingChange[]> {
  return Map.groupBy(changes, ({ stageSlug }) => stageSlug)
}

/** Returns whether the changes are more than a stage takes at once. */
export function isTooMuch(changes: readonly PendingChange[]): boolean {
  const deleted = changes.filter(({ entry }) => !entry).length
  return deleted > limits.entries || changes.length - deleted > limits.entries
}

/** Returns the changes so that they replace what others did to the same variables in the meantime. */
export function inKnowledgeOf(pending: readonly PendingChange[], conflict: Conflict): readonly PendingChange[] {
  return pending.map((change) => {
    if (change.stageSlug !== conflict.stageSlug) return change
    const latest = conflict.changes.find(({ name }) => name === change.name)
    return { ...change, before: latest ? resultOf(latest) : change.before, seen: conflict.revision }
  })
}

/** Returns the variable after a change; undefined if that deleted it. */
function resultOf({ name, kind, declaredType, digests, ...more }: HistoryChange): Digested | undefined {
  return kind && digests && { name, kind, declaredType, ...attributesOf({ ...more, kind }), digests }
}

/** Returns the variable as the change leaves it, or as it was before a deletion. */
export function stateOf({ before, entry }: PendingChange): Digested | undefined {
  return entry ? described(entry, before) : before
}

/** Describes what changes besides the values, such as "chance 10% → 25%", or what a new variable is. */
export function differencesOf({ before, entry }: PendingChange): readonly string[] {
  if (!entry) return []
  // Attributes that an entry omits do not change.
  const after = described(entry, before)
  return before ? differences(before, after) : factsOf(after)
}

/** Returns the deletions of variables from a stage, without those that it does not have. */
export function deletionsOf(
  names: Iterable<string>,
  stageSlug: string,
  { variables, revision }: StageContents,
): readonly PendingChange[] {
  const stored = new Map(variables.map((variable) => [variable.name, variable]))
  return Array.from(names, (name) => ({
    stageSlug,
    name,
    before: stored.get(name),
    entry: undefined,
    seen: revision,
  }))
}

/** Returns the rows and one more for each name that no stage has yet. */
export function withNewRows(
  rows: readonly Row[],
  changes: readonly PendingChange[],
  stageCount: number,
): readonly Row[] {
  const known = new Set(rows.map(({ name }) => name))
  const created = changes.flatMap(({ entry }) => (entry && !known.has(entry.name) ? entry : []))
  if (created.length === 0) return rows
  const cells = Array.from({ length: stageCount }, (): Cell => ({ state: 'missing', variable: undefined }))
  const added = new Map(created.map((entry) => [entry.name, { name: entry.name, leading: described(entry), cells }]))
  return [...rows, ...added.values()].toSorted((one, other) => compareCodePoints(one.name, other.name))
}

/** Returns the variable that an entry creates, without its values. */
function described(entry: WriteEntry, before?: Digested): Digested {
  const { name, kind, declaredType = before?.declaredType } = entry
  return { name, kind, declaredType, ...attributesOf(entry, before), digests: {} }
}

/** Someone else changed the same variables after this person saw them. */
export class Conflict extends PageError {
  readonly stageSlug: string
  /** The newest first. */
  readonly changes: readonly HistoryChange[]
  /** The revision that the changes led to. */
  readonly revision: number

  constructor(stageSlug: string, changes: readonly HistoryChange[], revision: number) {
    super('REVISION_CONFLICT', labels.conflict([...new Set(changes.map(({ name }) => name))]))
    this.stageSlug = stageSlug
    this.changes = changes
    this.revision = revision
  }
}
