import type { Reader, Tx } from './sql.ts'

/** Number of times that each value of a roll was served within an hour. */
export interface RollCount {
  readonly stageId: string
  readonly name: string
  /** When the hour began. */
  readonly hourMs: number
  a: number
  b: number
}

export async function addRollCount(tx: Tx, count: RollCount): Promise<void> {
  await tx.all(
    `insert into roll_counts (stage_id, name, hour_ms, a, b) values ($1, $2, $3, $4, $5)
     on conflict (stage_id, name, hour_ms) do update set a = roll_counts.a + excluded.a, b = roll_counts.b + excluded.b`,
    count.stageId,
    count.name,
    count.hourMs,
    count.a,
    count.b,
  )
}

/** Returns the counts of hours that began at or after `fromMs` and before `toMs`, in no particular order. */
export function rollCountsOf(
  sql: Reader,
  stageId: string,
  name: string,
  fromMs: number,
  toMs: number,
): Promise<{ readonly hour_ms: number; readonly a: number; readonly b: number }[]> {
  return sql.all(
    'select hour_ms, a, b from roll_counts where stage_id = $1 and name = $2 and hour_ms >= $3 and hour_ms < $4',
    stageId,
    name,
    fromMs,
    toMs,
  )
}

export async function deleteRollCountsBefore(tx: Tx, beforeMs: number): Promise<void> {
  await tx.all('delete from roll_counts where hour_ms < $1', beforeMs)
}
