import { maxPicked, pickedRows } from './picked.ts'
import { deleteSomeBefore } from './paged-deletion.ts'
import type { Reader, Tx } from './sql.ts'

export interface EvaluationDay {
  readonly stageId: string
  readonly name: string
  /** UTC day: YYYY-MM-DD. */
  readonly day: string
}

/** Maximum rows of `putLastEvaluations`. */
export const maxEvaluationDays = maxPicked

/** Stores the days, unless a later one is stored or the stage was deleted. The rows must be of different variables. */
export async function putLastEvaluations(tx: Tx, days: readonly EvaluationDay[]): Promise<void> {
  const rows = days.map(({ stageId, name, day }) => [stageId, name, day])
  const { text, params } = pickedRows({ stage_id: 'text', name: 'text', day: 'text' }, rows)
  await tx.all(
    `${text} insert into last_evaluations (stage_id, name, day)
     select picked.stage_id, picked.name, picked.day from picked cross join stages s
     where s.id = picked.stage_id and s.deleted_at_ms is null
     order by picked.stage_id, picked.name
     on conflict (stage_id, name) do update set day = excluded.day where excluded.day > last_evaluations.day`,
    ...params,
  )
}

/** Returns the last day of each variable of a stage that was evaluated, deleted ones included. */
export function lastEvaluationsOf(
  sql: Reader,
  stageId: string,
): Promise<{ readonly name: string; readonly day: string }[]> {
  return sql.all('select name, day from last_evaluations where stage_id = $1', stageId)
}

/** Returns since when the days are stored: the time at which the store was created or upgraded. */
export async function evaluationsStoredSince(sql: Reader): Promise<number> {
  const [row] = await sql.all<{ applied_at_ms: number }>(
    `select applied_at_ms from migrations where name like '%-last-evaluations.sql'`,
  )
  return row?.applied_at_ms ?? 0
}

export function deleteLastEvaluationsBefore(tx: Tx, day: string): Promise<boolean> {
  const keys = { stage_id: 'text', name: 'text' } as const
  return deleteSomeBefore(tx, { table: 'last_evaluations', keys, time: 'day' }, day)
}
