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

const msPerDay = 86_400_000

/** Adds to the count of the hour and to that of its UTC day, unless the stage was deleted. */
export async function addRollCount(tx: Tx, { stageId, name, hourMs, a, b }: RollCount): Promise<void> {
  const add = (table: 'roll_counts' | 'roll_days', time: 'hour_ms' | 'day_ms', atMs: number): Promise<unknown> =>
    tx.all(
      `insert into ${table} (stage_id, name, ${time}, a, b)
       select s.id, $2, cast($3 as bigint), cast($4 as bigint), cast($5 as bigint)
       from stages s where s.id = $1 and s.deleted_at_ms is null
       on conflict (stage_id, name, ${time}) do update set a = ${table}.a + excluded.a, b = ${table}.b + excluded.b`,
      stageId,
      name,
      atMs,
      a,
      b,
    )
  await Promise.all([add('roll_counts', 'hour_ms', hourMs), add('roll_days', 'day_ms', hourMs - (hourMs % msPerDay))])
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

/** Deletes the counts of hours and days that began before a time. */
export async function deleteRollCountsBefore(tx: Tx, beforeMs: number): Promise<void> {
  await tx.all('delete from roll_counts where hour_ms < $1', beforeMs)
  await tx.all('delete from roll_days where day_ms < $1', beforeMs)
}
