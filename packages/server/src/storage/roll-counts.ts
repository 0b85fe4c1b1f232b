import type { Reader, Tx } from './sql.ts'

/** Number of times that each value was served. */
interface SideCounts {
  a: number
  b: number
}

/** Number of times that each value of a roll was served within an hour, by the step that decided. */
export interface RollCount {
  readonly stageId: string
  readonly name: string
  /** When the hour began. */
  readonly hourMs: number
  readonly pin: SideCounts
  readonly rule: SideCounts
  readonly chance: SideCounts
}

/** The counts in the tables. `a` and `b` are all, whatever decided. */
export interface StoredCounts {
  readonly a: number
  readonly b: number
  readonly pin_a: number
  readonly pin_b: number
  readonly rule_a: number
  readonly rule_b: number
}

const columns = ['a', 'b', 'pin_a', 'pin_b', 'rule_a', 'rule_b'] as const satisfies (keyof StoredCounts)[]

const msPerDay = 86_400_000

/** Adds to the count of the hour and to that of its UTC day, unless the stage was deleted. */
export async function addRollCount(tx: Tx, { stageId, name, hourMs, pin, rule, chance }: RollCount): Promise<void> {
  const all = [pin.a + rule.a + chance.a, pin.b + rule.b + chance.b]
  const values = columns.map((_, index) => `cast($${index + 4} as bigint)`)
  const add = (table: 'roll_counts' | 'roll_days', time: 'hour_ms' | 'day_ms', atMs: number): Promise<unknown> =>
    tx.all(
      `insert into ${table} (stage_id, name, ${time}, ${columns.join(', ')})
       select s.id, $2, cast($3 as bigint), ${values.join(', ')}
       from stages s where s.id = $1 and s.deleted_at_ms is null
       on conflict (stage_id, name, ${time}) do update set
         ${columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')}`,
      stageId,
      name,
      atMs,
      ...all,
      pin.a,
      pin.b,
      rule.a,
      rule.b,
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
): Promise<(StoredCounts & { readonly hour_ms: number })[]> {
  return sql.all(
    `select hour_ms, ${columns.join(', ')} from roll_counts
     where stage_id = $1 and name = $2 and hour_ms >= $3 and hour_ms < $4`,
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
