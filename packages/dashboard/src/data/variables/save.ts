/** Saves of variables, which never overwrite unseen changes of others. */
import type { WriteEntry } from '@rollkey/contract'
import { limits } from '@rollkey/contract/rules'
import type { HistoryChange, StageSlugs, VariableUpdate, Written } from '@rollkey/sdk/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { hasCode } from '../../service/errors.ts'
import { Conflict, type PendingChange } from '../unsaved-changes/change-set.ts'
import { ask, type Scope, useScope } from '../../session/scope.ts'
import { projectsQuery } from '../projects/queries.ts'
import { toast } from '../../ui/toast.tsx'
import { isOfStage } from '../stage-keys.ts'
import { type Proposed, useProposedToast } from '../proposals/proposed.ts'

/** How many times others may change the stage while one change is saved. */
const maxAttempts = 5

export type Save =
  | { readonly do: 'create'; readonly entry: WriteEntry }
  | { readonly do: 'write'; readonly entry: WriteEntry }
  | { readonly do: 'delete'; readonly name: string }
  /** Changes a variable without its values, which may be unknown here. */
  | { readonly do: 'update'; readonly update: VariableUpdate }

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

function nameOf(change: Save): string {
  if (change.do === 'delete') return change.name
  return change.do === 'update' ? change.update.name : change.entry.name
}

/** The revisions at which a person saw variables, by their names. */
type Seen = ReadonlyMap<string, number>

/**
 * Saves a change if the variable is as it was at the revision `seen`. Other changes of the stage do not matter. Throws a
 * Conflict if the variable changed.
 */
export async function save(scope: Scope, place: StageSlugs, change: Save, seen: number): Promise<Saved> {
  const name = nameOf(change)
  const { revision } = await unlessChanged(scope, place, new Map([[name, seen]]), (ifRevision) =>
    send(scope, place, change, ifRevision),
  )
  return { place, before: revision - 1, revision, names: [name], isNew: change.do === 'create' }
}

/** Returns what a proposal says in place of a save. */
function proposalOf(change: Save) {
  if (change.do === 'delete') return { deletes: [change.name] }
  return change.do === 'update' ? { updates: [change.update] } : { entries: [change.entry] }
}

/** Proposes a change of a variable as a person saw it. Throws a Conflict if the variable changed. */
async function propose(scope: Scope, { place, change, seen }: StageSave, reason: string): Promise<Proposed> {
  const { id } = await unlessChanged(scope, place, new Map([[nameOf(change), seen]]), (ifRevision) =>
    ask(scope, 'changePropose', { ...place, reason, ...proposalOf(change), ifRevision }),
  )
  return { place, id, names: [nameOf(change)] }
}

/** Saves many changes of a stage, all or nothing. Throws a Conflict if one of the variables changed. */
export async function saveAll(scope: Scope, place: StageSlugs, changes: readonly PendingChange[]): Promise<Saved> {
  const entries = changes.flatMap(({ entry }) => entry ?? [])
  const deletes = changes.flatMap(({ name, entry }) => (entry ? [] : name))
  const seen = new Map(changes.map((change) => [change.name, change.seen]))
  const written = await unlessChanged(scope, place, seen, (ifRevision) =>
    ask(scope, 'write', { ...place, mode: 'upsert', entries, deletes, ifRevision }),
  )
  return savedBy(place, written)
}

/** Returns the result of a save from the answer to its write. */
export function savedBy(place: StageSlugs, { revision, created, updated, deleted }: Written): Saved {
  const others = [...updated, ...deleted]
  return { place, before: revision - 1, revision, names: [...created, ...others], isNew: others.length === 0 }
}

/** Sends a request that depends on the revision, and retries while only other variables changed. Throws a Conflict. */
export async function unlessChanged<Result>(
  scope: Scope,
  place: StageSlugs,
  seen: Seen,
  sendIf: (revision: number) => Promise<Result>,
): Promise<Result> {
  let ifRevision = Math.min(...seen.values())
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendIf(ifRevision)
    } catch (error) {
      if (!hasCode(error, 'REVISION_CONFLICT') || attempt === maxAttempts) throw error
      ifRevision = await revisionWithoutConflict(scope, place, seen, ifRevision)
    }
  }
}

/** Sends what makes a change. A new variable depends on no revision. */
function send(
  scope: Scope,
  place: StageSlugs,
  change: Save,
  ifRevision: number,
): Promise<{ readonly revision: number }> {
  if (change.do === 'update') return ask(scope, 'update', { ...place, updates: [change.update], ifRevision })
  const deletes = change.do === 'delete' ? [change.name] : []
  const entries = change.do === 'delete' ? [] : [change.entry]
  if (change.do === 'create') return ask(scope, 'write', { ...place, mode: 'create_only', entries, deletes })
  return ask(scope, 'write', { ...place, mode: 'upsert', entries, deletes, ifRevision })
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

export interface StageSave {
  readonly place: StageSlugs
  readonly change: Save
  /** The revision of the stage that the person saw. */
  readonly seen: number
  /** Why the change is proposed. Undefined: it is saved at once. */
  readonly reason?: string | undefined
}

interface SaveFailure {
  readonly place: StageSlugs
  readonly error: unknown
}

interface Attempts {
  readonly saved: readonly Saved[]
  readonly proposed: readonly Proposed[]
  /** Failures of the last attempt. */
  readonly failures: readonly SaveFailure[]
}

const none: Attempts = { saved: [], proposed: [], failures: [] }

/**
 * Saves a variable in stages, in each of them completely or not at all. A failure in one does not stop the others, and the
 * next attempt leaves out what is saved. A second save after a conflict replaces the changes of others. `onSaved` runs when
 * all is saved or proposed, and the table shows it.
 */
export function useSave(onSaved: (saved: readonly Saved[]) => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [{ saved, proposed, failures }, setAttempts] = useState(none)
  const confirmProposed = useProposedToast()
  const mutation = useMutation({
    mutationFn: async (saves: readonly StageSave[]): Promise<Attempts> => {
      const attempts = { saved: [...saved], proposed: [...proposed], failures: [] as SaveFailure[] }
      for (const stageSave of saves) {
        const { place, change, reason } = stageSave
        if (isIn([...saved, ...proposed], place)) continue
        const seen = seenNow(place, stageSave.seen)
        try {
          if (reason === undefined) attempts.saved.push(await save(scope, place, change, seen))
          else attempts.proposed.push(await propose(scope, { place, change, seen }, reason))
        } catch (error) {
          attempts.failures.push({ place, error })
        }
      }
      return attempts
    },
    // A saved change has values, so it is not kept.
    gcTime: 0,
    onSuccess: async (attempts, saves) => {
      setAttempts(attempts)
      void queryClient.invalidateQueries(projectsQuery(scope))
      await Promise.all(saves.map(({ place }) => queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })))
      if (attempts.failures.length > 0) return
      toast.together(() => {
        onSaved(attempts.saved)
        confirmProposed(attempts.proposed)
      })
    },
  })
  /** Returns the revision after which a change by others is a conflict. */
  const seenNow = (place: StageSlugs, seen: number): number => {
    const error = failures.find((failure) => isSamePlace(failure.place, place))?.error
    return error instanceof Conflict ? Math.max(seen, error.revision) : seen
  }
  return {
    mutate: mutation.mutate,
    isPending: mutation.isPending,
    saved,
    /** What is saved or proposed. */
    done: [...saved, ...proposed],
    failures,
    seenNow,
    reset: () => setAttempts(none),
  }
}

export type SaveState = ReturnType<typeof useSave>

function isSamePlace(one: StageSlugs, other: StageSlugs): boolean {
  return one.projectSlug === other.projectSlug && one.stageSlug === other.stageSlug
}

export function isIn(saved: readonly Pick<Saved, 'place'>[], place: StageSlugs): boolean {
  return saved.some((each) => isSamePlace(each.place, place))
}
