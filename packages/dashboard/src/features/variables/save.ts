/** Changes of variables that overwrite nobody's work unseen. */
import type { WriteEntry } from '@rollkey/contract'
import { limits } from '@rollkey/contract/rules'
import { Problem } from '../../service/problem.ts'
import type { Change } from './change.ts'
import type { PendingChange } from '../changes/change-set.ts'
import { Conflict } from '../changes/conflict.ts'
import { ask, type Scope } from '../../session/scope.ts'
import type { Place } from './queries.ts'

/** So many other changes of the stage may come in between while one is saved. */
const attempts = 5

export type Save =
  | { readonly do: 'create'; readonly entry: WriteEntry }
  | { readonly do: 'write'; readonly entry: WriteEntry }
  | { readonly do: 'delete'; readonly name: string }
  | { readonly do: 'chance'; readonly name: string; readonly chance: number }

function nameOf(change: Save): string {
  return 'entry' in change ? change.entry.name : change.name
}

/** Revisions of a stage by the names of the variables that were looked at then. */
type Seen = ReadonlyMap<string, number>

/**
 * Saves if the variable is as it was at the revision `seen`; changes of others in the stage do not matter. Throws a
 * Conflict if it is not.
 */
export async function save(scope: Scope, place: Place, change: Save, seen: number): Promise<void> {
  const names = new Map([[nameOf(change), seen]])
  await unlessChanged(scope, place, names, (ifRevision) => send(scope, place, change, ifRevision))
}

/** The same for many variables of a stage: all or nothing. */
export async function saveAll(scope: Scope, place: Place, changes: readonly PendingChange[]): Promise<void> {
  const entries = changes.flatMap(({ entry }) => entry ?? [])
  const deletes = changes.flatMap(({ name, entry }) => (entry ? [] : name))
  const seen = new Map(changes.map((change) => [change.name, change.seen]))
  await unlessChanged(scope, place, seen, (ifRevision) =>
    ask(scope, '/v1/env/write', { ...place, mode: 'upsert', entries, deletes, ifRevision }),
  )
}

async function unlessChanged(
  scope: Scope,
  place: Place,
  seen: Seen,
  sendIf: (revision: number) => Promise<unknown>,
): Promise<void> {
  let ifRevision = Math.min(...seen.values())
  for (let attempt = 1; ; attempt++) {
    try {
      await sendIf(ifRevision)
      return
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'REVISION_CONFLICT' || attempt === attempts) throw error
      ifRevision = await revisionWithoutConflict(scope, place, seen, ifRevision)
    }
  }
}

async function send(scope: Scope, place: Place, change: Save, ifRevision: number): Promise<void> {
  if (change.do === 'chance') {
    const { name, chance } = change
    await ask(scope, '/v1/env/chance', { ...place, name, chance, ifRevision })
  } else {
    const entries = 'entry' in change ? [change.entry] : []
    const deletes = change.do === 'delete' ? [change.name] : []
    const condition =
      change.do === 'create' ? ({ mode: 'create_only' } as const) : ({ mode: 'upsert', ifRevision } as const)
    await ask(scope, '/v1/env/write', { ...place, ...condition, entries, deletes })
  }
}

/** The present revision, if none of the names was touched after it was seen. Each revision is looked at once. */
async function revisionWithoutConflict(scope: Scope, place: Place, seen: Seen, looked: number): Promise<number> {
  const changes = await changesSince(scope, place, looked)
  const revision = changes[0]?.revision ?? looked
  const missed = changes.filter((change) => change.revision > (seen.get(change.name) ?? Infinity))
  if (missed.length > 0) throw new Conflict(place.stageSlug, missed, revision)
  return revision
}

/** The newest first. */
async function changesSince(scope: Scope, place: Place, revision: number): Promise<readonly Change[]> {
  const found: Change[] = []
  let before: number | undefined
  do {
    const { changes } = await ask(scope, '/v1/env/history', { ...place, before, limit: limits.historyChanges })
    found.push(...changes.filter((change) => change.revision > revision))
    before = changes.at(-1)?.revision
  } while (before !== undefined && before > revision)
  return found
}
