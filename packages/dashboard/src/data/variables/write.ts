/** Writes of a stage, now or as proposals. They never overwrite unseen changes of others. */
import type { WriteEntry } from '@rollkey/contract'
import { limits } from '@rollkey/contract/rules'
import type { HistoryChange, Request, StageSlugs, VariableUpdate, Written } from '@rollkey/sdk/core'
import { hasCode, PageError } from '../../service/errors.ts'
import { ask, type Scope } from '../../session/scope.ts'
import type { Proposed } from '../proposals/proposed.ts'
import { Conflict } from '../unsaved-changes/change-set.ts'
import { labels } from './labels.ts'

/** How many times others may change the stage while one change is saved. */
const maxAttempts = 5

/** What a write does, completely or not at all. */
type Content =
  | { readonly entries?: readonly WriteEntry[]; readonly deletes?: readonly string[] }
  /** Changes variables without their values, which may be unknown here. */
  | { readonly updates: readonly VariableUpdate[] }
  | { readonly restore: NonNullable<Request<'changePropose'>['restore']> }
  | { readonly copy: NonNullable<Request<'changePropose'>['copy']> }

/** The revisions at which a person saw variables, by their names. */
type Seen = ReadonlyMap<string, number>

export interface StageWrite {
  readonly place: StageSlugs
  readonly content: Content
  /** The variables that it touches. @default those that the content names */
  readonly names?: readonly string[]
  /** Whether the entries are of new variables, which depend on no revision. @default false */
  readonly isNew?: boolean
  /** The revision at which the person saw the variables, or that of each. A later change of one by others is a Conflict. Absent: it is not. */
  readonly seen?: number | Seen
  /** The revision that a preview showed. Any later change of the stage fails the write. Absent: it had none. */
  readonly previewed?: number
  /** Why it is proposed. Undefined: it is saved at once. */
  readonly reason?: string | undefined
}

/** The result of a save in a stage. */
export interface Saved {
  readonly place: StageSlugs
  /** The revision before the save. */
  readonly before: number
  /** The revision that the save created. */
  readonly revision: number
  readonly names: readonly string[]
  /** Whether the save added all of them. */
  readonly isNew: boolean
}

function namesOf({ content, names }: StageWrite): readonly string[] {
  if (names) return names
  if ('updates' in content) return content.updates.map(({ name }) => name)
  if ('restore' in content) return content.restore.names ?? []
  if ('copy' in content) return content.copy.names
  return [...(content.entries ?? []).map(({ name }) => name), ...(content.deletes ?? [])]
}

/** Saves at once. Throws a Conflict, or a PageError if the preview is out of date. */
export async function save(scope: Scope, write: StageWrite): Promise<Written> {
  return asSeen(scope, write, async (condition) => {
    const { place, content, isNew = false } = write
    if ('restore' in content) return ask(scope, 'restore', { ...place, ...content.restore, ...condition })
    if ('copy' in content) return ask(scope, 'copy', { to: place, ...content.copy, ...condition })
    if ('updates' in content) {
      const { revision } = await ask(scope, 'update', { ...place, ...content, ...condition })
      return { created: [], updated: namesOf(write), deleted: [], revision }
    }
    const { entries = [], deletes = [] } = content
    const request = { ...place, entries, deletes }
    return isNew
      ? ask(scope, 'write', { ...request, mode: 'create_only' })
      : ask(scope, 'write', { ...request, mode: 'upsert', ...condition })
  })
}

/** Returns the result of a save. */
export function savedBy(place: StageSlugs, { revision, created, updated, deleted }: Written): Saved {
  const others = [...updated, ...deleted]
  return { place, before: revision - 1, revision, names: [...created, ...others], isNew: others.length === 0 }
}

/** Proposes in place of a save. Throws a Conflict, or a PageError if the preview is out of date. */
export async function propose(scope: Scope, write: StageWrite, reason: string): Promise<Proposed> {
  const { place, content } = write
  const { id } = await asSeen(scope, write, (condition) =>
    ask(scope, 'changePropose', { ...place, reason, ...content, ...condition }),
  )
  return { place, id, names: namesOf(write) }
}

/** Sends a request that depends on what the person saw, and retries while only other variables changed. */
async function asSeen<Result>(
  scope: Scope,
  write: StageWrite,
  send: (condition: { readonly ifRevision?: number }) => Promise<Result>,
): Promise<Result> {
  const { place, seen, previewed } = write
  if (previewed !== undefined) return asPreviewed(() => send({ ifRevision: previewed }))
  if (seen === undefined) return send({})
  const revisions = typeof seen === 'number' ? new Map(namesOf(write).map((name) => [name, seen])) : seen
  let ifRevision = Math.min(...revisions.values())
  for (let attempt = 1; ; attempt++) {
    try {
      return await send({ ifRevision })
    } catch (error) {
      if (!hasCode(error, 'REVISION_CONFLICT') || attempt === maxAttempts) throw error
      ifRevision = await revisionWithoutConflict(scope, place, revisions, ifRevision)
    }
  }
}

/** Explains that a stage changed since its preview. */
async function asPreviewed<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (!hasCode(error, 'REVISION_CONFLICT')) throw error
    throw new PageError('REVISION_CONFLICT', labels.stageChanged, { cause: error })
  }
}

/** Returns the present revision if none of the names changed after it was seen. Each revision is read once. */
async function revisionWithoutConflict(scope: Scope, place: StageSlugs, seen: Seen, looked: number): Promise<number> {
  const changes = await changesSince(scope, place, looked)
  const revision = changes[0]?.revision ?? looked
  const missed = changes.filter((change) => change.revision > (seen.get(change.name) ?? Infinity))
  if (missed.length > 0) throw new Conflict(place.stageSlug, missed, revision)
  return revision
}

/** Returns the changes after a revision, the newest first. */
async function changesSince(scope: Scope, place: StageSlugs, revision: number): Promise<readonly HistoryChange[]> {
  const found: HistoryChange[] = []
  let before: number | undefined
  do {
    const { changes } = await ask(scope, 'history', { ...place, before, limit: limits.historyChanges })
    found.push(...changes.filter((change) => change.revision > revision))
    before = changes.at(-1)?.revision
  } while (before !== undefined && before > revision)
  return found
}
