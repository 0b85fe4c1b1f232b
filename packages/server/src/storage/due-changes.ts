/** Queries of changes that are applied at their times: which are due, which node works on them, and how ramps move on. */
import { changeTransitions, settledChangeStates, type ChangeMove } from '@rollkey/contract'
import { changeColumns, isMovable, type ChangeRow } from './changes.ts'
import type { Reader, Tx } from './sql.ts'

const dueAt = 'coalesce(due_at_ms, apply_at_ms)'
const isWaiting = "state in ('open', 'running')"

/** Returns when the first change is due that waits for its time, or undefined if none does. */
export async function nextDueAtMs(sql: Reader): Promise<number | undefined> {
  // SQLite would not use the index for `is not null`, and read every open change that has no time.
  const [row] = await sql.all<{ at_ms: number }>(
    `select ${dueAt} as at_ms from changes where ${isWaiting} and ${dueAt} >= 0 order by ${dueAt} limit 1`,
  )
  return row?.at_ms
}

/**
 * Leases up to `limit` due changes for a node. A lease that is further ahead than one can be is that of a clock that was set back
 * since, and counts for nothing.
 */
export function leaseDueChanges(
  tx: Tx,
  { nowMs, leaseMs, limit }: { nowMs: number; leaseMs: number; limit: number },
): Promise<ChangeRow[]> {
  const isDue = `${isWaiting} and ${dueAt} <= $1 and (leased_until_ms <= $1 or leased_until_ms > $2)`
  return tx.all(
    `update changes set leased_until_ms = $2
     where id in (select id from changes where ${isDue} order by ${dueAt} limit $3) and ${isDue} returning ${changeColumns}`,
    nowMs,
    nowMs + leaseMs,
    limit,
  )
}

/** Lets a change wait until a time, if it still is what was decided about. */
export async function holdChange(
  tx: Tx,
  { id, digest }: Pick<ChangeRow, 'id' | 'digest'>,
  dueAtMs: number,
): Promise<void> {
  await tx.all(`update changes set due_at_ms = $3 where id = $1 and digest = $2 and ${isWaiting}`, id, digest, dueAtMs)
}

/** A move of a ramp. */
export interface RampMove {
  readonly id: string
  readonly digest: string
  /** How many steps must be done. */
  readonly from: number
  /** How many steps are done then. */
  readonly done: number
  /** When its next step is due; null: no step is left. */
  readonly dueAtMs: number | null
  /** Days by which pauses have moved it. */
  readonly delayDays: number
  /** Who moved it; undefined: the service. */
  readonly by?: string | undefined
  /** Revision that the move makes; undefined: none. */
  readonly revision?: number | undefined
  /** Why it is not running; undefined: it is, or someone paused it. */
  readonly problem?: string | undefined
  readonly nowMs: number
}

/** Moves a ramp and locks it. Returns false if it is in no state from which this moves it, or not at this step any more. */
export async function moveRamp(tx: Tx, move: ChangeMove, ramp: RampMove): Promise<boolean> {
  const { to } = changeTransitions[move]
  const settles = settledChangeStates.includes(to)
  const rows = await tx.all(
    `update changes set state = '${to}', steps_done = $4, due_at_ms = $5, delay_days = $6, updated_at_ms = $7, settled_by = $8,
       settled_at_ms = $9, applied_revision = coalesce($10, applied_revision), problem = $11, leased_until_ms = 0
     where id = $1 and digest = $2 and steps_done = $3 and ${isMovable[move]} returning id`,
    ramp.id,
    ramp.digest,
    ramp.from,
    ramp.done,
    ramp.dueAtMs,
    ramp.delayDays,
    ramp.nowMs,
    settles ? (ramp.by ?? null) : null,
    settles ? ramp.nowMs : null,
    ramp.revision ?? null,
    ramp.problem ?? null,
  )
  return rows.length === 1
}

/** Returns the running ramps of a stage with the names of their rolls. */
export async function runningRamps(
  sql: Reader,
  stageId: string,
): Promise<{ readonly id: string; readonly name: string }[]> {
  const rows = await sql.all<Pick<ChangeRow, 'id' | 'content'>>(
    `select id, content from changes where stage_id = $1 and state = 'running'`,
    stageId,
  )
  return rows.map(({ id, content }) => {
    const { items } = JSON.parse(content) as { readonly items: readonly [{ readonly name: string }] }
    return { id, name: items[0].name }
  })
}
