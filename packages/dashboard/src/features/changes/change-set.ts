/** Changes that are collected before they are saved together. They have values, so they stay in the memory of the page. */
import type { Digested, WriteEntry } from '@rollkey/contract'
import { attributesOf, compareCodePoints, limits } from '@rollkey/contract/rules'
import type { Change } from '../variables/change.ts'
import { type Cell, differences, factsOf, type Row, type StageContents } from '../variables/comparison.ts'

export interface PendingChange {
  readonly stageSlug: string
  readonly name: string
  /** As the table showed it; undefined: the stage did not have it. */
  readonly before: Digested | undefined
  /** What it becomes; undefined: it is deleted. */
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

/** Of each variable the last change; to delete what the stage does not have is none. */
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

/** Whether they are more than a stage takes at once. */
export function isTooMuch(changes: readonly PendingChange[]): boolean {
  const deleted = changes.filter(({ entry }) => !entry).length
  return deleted > limits.entries || changes.length - deleted > limits.entries
}

/** The changes of a stage in knowledge of what others did in between, which they replace from now on. */
export function inKnowledgeOf(pending: readonly PendingChange[], conflict: Conflict): readonly PendingChange[] {
  return pending.map((change) => {
    if (change.stageSlug !== conflict.stageSlug) return change
    const latest = conflict.changes.find(({ name }) => name === change.name)
    return { ...change, before: latest ? resultOf(latest) : change.before, seen: conflict.revision }
  })
}

/** What a change has left behind; undefined: it was deleted. */
function resultOf({ name, kind, declaredType, digests, ...more }: Change): Digested | undefined {
  return kind && digests && { name, kind, declaredType, ...attributesOf({ ...more, kind }), digests }
}

/** What becomes of everything but the values, such as "chance 10 % → 25 %"; of something new, what it is. */
export function differencesOf({ before, entry }: PendingChange): readonly string[] {
  if (!entry) return []
  // What an entry does not state stays as it is.
  const after = described(entry, before)
  return before ? differences(before, after) : factsOf(after)
}

/** The deletion of the variables from a stage; of one that it does not have, nothing. */
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

/** The table with a row more for each name that is in no stage yet. */
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

/** Without values. */
function described(entry: WriteEntry, before?: Digested): Digested {
  const { name, kind, declaredType = before?.declaredType } = entry
  return { name, kind, declaredType, ...attributesOf(entry, before), digests: {} }
}

/** Somebody changed the same variables since they were looked at. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
  readonly stageSlug: string
  /** The newest first. */
  readonly changes: readonly Change[]
  /** The one that the changes lead to. */
  readonly revision: number

  constructor(stageSlug: string, changes: readonly Change[], revision: number) {
    super('Variables were changed in between.')
    this.stageSlug = stageSlug
    this.changes = changes
    this.revision = revision
  }
}
