/** Queries of the rolls of an organization. */
import type { DeclaredType } from '@rollkey/contract'
import { pickedRows } from './picked.ts'
import type { Reader } from './sql.ts'

export interface RollRow {
  readonly stage_id: string
  readonly name: string
  readonly declared_type: DeclaredType | null
  readonly facets: string
  readonly created_at_ms: number
  readonly updated_at_ms: number
}

/** Returns the rolls of up to `maxPicked` stages, in no particular order. */
export function rollsOf(sql: Reader, stageIds: readonly string[]): Promise<RollRow[]> {
  const { text, params } = pickedRows(
    { stage_id: 'text' },
    stageIds.map((id) => [id]),
  )
  return sql.all(
    `${text} select v.stage_id, v.name, v.declared_type, v.facets, v.created_at_ms, v.updated_at_ms
     from picked cross join variables v where v.stage_id = picked.stage_id and v.kind = 'ab_roll'`,
    ...params,
  )
}

/** What identifies a roll. */
export interface RollId {
  readonly stageId: string
  readonly name: string
}

export interface RollHistoryRow {
  readonly stage_id: string
  readonly name: string
  readonly revision: number
  readonly facets: string | null
  readonly written_at_ms: number
}

/**
 * Returns the last `max` states of the attributes of up to `maxPicked` rolls with the times at which they were written, in no particular
 * order.
 */
export function rollHistory(sql: Reader, rolls: readonly RollId[], max: number): Promise<RollHistoryRow[]> {
  const rows = rolls.map(({ stageId, name }) => [stageId, name])
  const { text, params } = pickedRows({ stage_id: 'text', name: 'text' }, rows)
  return sql.all(
    `${text} select h.stage_id, h.name, h.revision, h.facets, h.written_at_ms
     from picked cross join variable_history h where h.stage_id = picked.stage_id and h.name = picked.name
       and h.revision > coalesce((select e.revision from variable_history e
         where e.stage_id = picked.stage_id and e.name = picked.name order by e.revision desc limit 1 offset $${params.length + 1}), 0)`,
    ...params,
    max,
  )
}

/** A roll and a time span, which includes its first time and excludes its last. */
export interface RollSpan extends RollId {
  readonly fromMs: number
  readonly toMs: number
}

export interface ServedRow {
  readonly stage_id: string
  readonly name: string
  readonly a: number
  readonly b: number
}

/** Which evaluations count: all, or those that the chance decided. */
export type CountedStep = 'all' | 'chance'

/** Returns how often each value of up to `maxPicked` rolls was served in UTC days that began in the span. */
export function servedInDays(sql: Reader, step: CountedStep, spans: readonly RollSpan[]): Promise<ServedRow[]> {
  return servedIn(sql, ['roll_days', 'day_ms'], step, spans)
}

/** Returns how often each value of up to `maxPicked` rolls was served in hours that began in the span. */
export function servedInHours(sql: Reader, step: CountedStep, spans: readonly RollSpan[]): Promise<ServedRow[]> {
  return servedIn(sql, ['roll_counts', 'hour_ms'], step, spans)
}

/** Adds up in subqueries, one index range each: for a join, PostgreSQL would read the whole table. */
function servedIn(
  sql: Reader,
  [table, time]: readonly ['roll_days', 'day_ms'] | readonly ['roll_counts', 'hour_ms'],
  step: CountedStep,
  spans: readonly RollSpan[],
): Promise<ServedRow[]> {
  const rows = spans.map(({ stageId, name, fromMs, toMs }) => [stageId, name, fromMs, toMs])
  const { text, params } = pickedRows({ stage_id: 'text', name: 'text', from_ms: 'bigint', to_ms: 'bigint' }, rows)
  const countOf = (side: 'a' | 'b'): string =>
    step === 'all' ? `c.${side}` : `c.${side} - c.pin_${side} - c.rule_${side}`
  const sumOf = (side: 'a' | 'b'): string =>
    `(select cast(coalesce(sum(${countOf(side)}), 0) as bigint) from ${table} c
      where c.stage_id = picked.stage_id and c.name = picked.name and c.${time} >= picked.from_ms and c.${time} < picked.to_ms)`
  return sql.all(
    `${text} select stage_id, name, ${sumOf('a')} as a, ${sumOf('b')} as b from picked where stage_id <> ''`,
    ...params,
  )
}
