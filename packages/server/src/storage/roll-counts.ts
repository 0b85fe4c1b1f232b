import { deleteSomeBefore } from './paged-deletion.ts'
import { pickedRows } from './picked.ts'
import type { Reader, Tx } from './sql.ts'

/** Number of times that each value was served. */
export interface SideCounts {
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
  /** How many of these a program decided by itself. */
  readonly reported: SideCounts
}

/** The counts in the tables. `a` and `b` are all, whatever decided. */
export interface StoredCounts {
  readonly a: number
  readonly b: number
  readonly pin_a: number
  readonly pin_b: number
  readonly rule_a: number
  readonly rule_b: number
  readonly reported_a: number
  readonly reported_b: number
}

const columns = [
  'a',
  'b',
  'pin_a',
  'pin_b',
  'rule_a',
  'rule_b',
  'reported_a',
  'reported_b',
] as const satisfies (keyof StoredCounts)[]

const msPerDay = 86_400_000

/**
 * Adds up to `maxPicked` counts to those of their hours and of their UTC days, unless the stage was deleted. Sorted counts prevent
 * deadlocks between nodes.
 */
export async function addRollCounts(tx: Tx, counts: readonly RollCount[]): Promise<void> {
  await addTo(tx, 'roll_counts', 'hour_ms', counts)
  await addTo(
    tx,
    'roll_days',
    'day_ms',
    counts.map((count) => ({ ...count, hourMs: count.hourMs - (count.hourMs % msPerDay) })),
  )
}

async function addTo(
  tx: Tx,
  table: 'roll_counts' | 'roll_days',
  time: 'hour_ms' | 'day_ms',
  counts: readonly RollCount[],
): Promise<void> {
  const rows = counts.map(({ stageId, name, hourMs, pin, rule, chance, reported }) => [
    stageId,
    name,
    hourMs,
    pin.a + rule.a + chance.a,
    pin.b + rule.b + chance.b,
    ...[pin, rule, reported].flatMap(({ a, b }) => [a, b]),
  ])
  const numbers = Object.fromEntries([time, ...columns].map((column) => [column, 'bigint' as const]))
  const { text, params } = pickedRows({ stage_id: 'text', name: 'text', ...numbers }, rows)
  // Hours of one day are one row of roll_days, which a statement must not change twice.
  await tx.all(
    `${text} insert into ${table} (stage_id, name, ${time}, ${columns.join(', ')})
     select picked.stage_id, picked.name, picked.${time}, ${columns.map((column) => `cast(sum(picked.${column}) as bigint)`).join(', ')}
     from picked cross join stages s where s.id = picked.stage_id and s.deleted_at_ms is null
     group by picked.stage_id, picked.name, picked.${time} order by picked.stage_id, picked.name, picked.${time}
     on conflict (stage_id, name, ${time}) do update set
       ${columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')}`,
    ...params,
  )
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
export async function deleteRollCountsBefore(tx: Tx, beforeMs: number): Promise<boolean> {
  const ofRoll = { stage_id: 'text', name: 'text' } as const
  const hours = { table: 'roll_counts', keys: { ...ofRoll, hour_ms: 'bigint' }, time: 'hour_ms' } as const
  const days = { table: 'roll_days', keys: { ...ofRoll, day_ms: 'bigint' }, time: 'day_ms' } as const
  const hasMore = await deleteSomeBefore(tx, hours, beforeMs)
  return (await deleteSomeBefore(tx, days, beforeMs)) || hasMore
}
