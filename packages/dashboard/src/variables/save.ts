/** Changes of variables that overwrite nobody's work unseen. */
import type { WriteEntry } from '@rollkey/contract'
import { Problem } from '../service/problem.ts'
import type { Change } from './change.ts'
import { ask, type Scope } from './scope.ts'
import { changesOf, type Place } from './stage.ts'

/** Somebody changed the same variable since it was looked at. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
  /** The newest first. */
  readonly changes: readonly Change[]
  /** The one that the changes lead to. */
  readonly revision: number

  constructor(changes: readonly Change[], revision: number) {
    super('The variable was changed in between.')
    this.changes = changes
    this.revision = revision
  }
}

/** So many other changes of the stage may come in between while one is saved. */
const attempts = 5
/** Changes of the variable that a conflict tells of. */
const toldChanges = 20

export type Save =
  | { readonly do: 'create'; readonly entry: WriteEntry }
  | { readonly do: 'write'; readonly entry: WriteEntry }
  | { readonly do: 'delete'; readonly name: string }
  | { readonly do: 'chance'; readonly name: string; readonly chance: number }

function nameOf(change: Save): string {
  return 'entry' in change ? change.entry.name : change.name
}

/**
 * Saves if the variable is as it was at the revision `seen`; changes of others in the stage do not matter. Throws a
 * Conflict if it is not.
 */
export async function save(scope: Scope, place: Place, change: Save, seen: number): Promise<void> {
  let ifRevision = seen
  for (let attempt = 1; ; attempt++) {
    try {
      await send(scope, place, change, ifRevision)
      return
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'REVISION_CONFLICT' || attempt === attempts) throw error
      ifRevision = await revisionWithoutConflict(scope, place, nameOf(change), seen)
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

/** The present revision, asked before the changes: what comes after it is the next attempt's matter. */
async function revisionWithoutConflict(scope: Scope, place: Place, name: string, seen: number): Promise<number> {
  const { revision } = await ask(scope, '/v1/env/list', place)
  const changes = await changesOf(scope, place, name, toldChanges)
  const missed = changes.filter((change) => change.revision > seen)
  if (missed.length > 0) throw new Conflict(missed, Math.max(revision, missed[0]?.revision ?? 0))
  return revision
}
