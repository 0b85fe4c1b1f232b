/**
 * Counts usage in the statement that validates read sets, so an event is counted in the transaction that validated its
 * request. The statement counts the events that it can decide alone. If another transaction counts the same request key at
 * the same time, the statement starts over. If an organization would exceed its limit, its events stay undecided.
 */
import { limits } from '@rollkey/contract'
import { dayOf, monthOf, type Clock } from '../base/clock.ts'
import {
  BatchedValidator,
  type JoinedBatch,
  type JoinedWork,
  type ReadPositions,
} from '../consistency/batched-validator.ts'
import type { Reader } from '../storage/sql.ts'
import type { BillingEvent } from '../storage/usage.ts'
import { hashOfRequestKey } from './request-key.ts'

/** `undecided`: nothing was counted, and the counter has to decide. */
type JoinedResult = 'counted' | 'repeated' | 'undecided'

/** Positions of the events with each result. The others are undecided. */
interface CountedRow {
  readonly counted: number[]
  readonly repeated: number[]
}

/** The validator of a node that also counts usage. */
export type CountingValidator = BatchedValidator<BillingEvent, CountedRow, JoinedResult>

/** Events with the same read set. */
interface EventGroup extends ReadPositions {
  readonly org_id: string
  readonly project_id: string
  readonly stage_id: string
  readonly caller: string
  readonly how: string
  readonly key_hash: string | undefined
  n: number
}

const tables = `events as (
  select e.*, k.org_id is not null as repeated
  from input, json_to_recordset(j->'items') as
    e(i int, stage int, session int, member int, organization int, org_id text, project_id text, stage_id text, caller text, how text,
      key_hash text, n bigint)
  left join request_keys k on k.org_id = e.org_id and k.key_hash = e.key_hash
  where not exists (select 1 from stage_reads c where c.i = e.stage and not c.ok)
    and not exists (select 1 from session_reads c where c.i = e.session and not c.ok)
    and not exists (select 1 from member_reads c where c.i = e.member and not c.ok)
    and not exists (select 1 from organization_reads c where c.i = e.organization and not c.ok)),
requested as (select org_id, cast(sum(n) as bigint) as n from events where not repeated group by org_id),
spent as (
  insert into meters (org_id, meter, period, used)
  select org_id, 'evaluations', $2, n from requested where n <= cast($3 as bigint) order by org_id
  on conflict (org_id, meter, period) do update set used = meters.used + excluded.used
    where meters.used + excluded.used <= cast($3 as bigint)
  returning org_id),
counted as (select e.* from events e join spent s on s.org_id = e.org_id where not e.repeated),
keyed as (
  insert into request_keys (org_id, key_hash, expires_at_ms)
  select org_id, key_hash, cast($4 as bigint) from counted where key_hash is not null order by org_id, key_hash
  on conflict (org_id, key_hash) do nothing returning org_id),
days as (
  insert into usage_days (org_id, project_id, stage_id, day, evaluations)
  select org_id, project_id, stage_id, $5, cast(sum(n) as bigint) from counted
  group by org_id, project_id, stage_id order by org_id, project_id, stage_id
  on conflict (org_id, day, project_id, stage_id)
  do update set evaluations = usage_days.evaluations + excluded.evaluations),
callers as (
  insert into usage_callers (org_id, day, caller, how, project_id, stage_id, evaluations)
  select org_id, $5, caller, how, project_id, stage_id, cast(sum(n) as bigint) from counted
  group by org_id, caller, how, project_id, stage_id order by org_id, caller, how, project_id, stage_id
  on conflict (org_id, day, caller, how, project_id, stage_id)
  do update set evaluations = usage_callers.evaluations + excluded.evaluations)`

const columns = `array(select i from counted) as counted,
  array(select i from events where repeated) as repeated,
  1 / (case when (select count(*) from keyed) = (select count(*) from counted where key_hash is not null)
       then 1 else 0 end) as sound`

/**
 * Returns a validator that also counts, up to `limit` events per organization and UTC month. `memberTable` is the table of the
 * embedded provider, if its members are cached.
 */
export function countingValidator({ sql, memberTable, clock, limit }: CountingParts): CountingValidator {
  return new BatchedValidator({ sql, memberTable, joined: joinedCounting(clock, limit) })
}

interface CountingParts {
  readonly sql: Reader
  readonly memberTable: string | undefined
  readonly clock: Clock
  readonly limit: number
}

function joinedCounting(clock: Clock, limit: number): JoinedWork<BillingEvent, CountedRow, JoinedResult> {
  return {
    tables,
    columns,
    parameters: () => {
      const nowMs = clock.now()
      return [monthOf(nowMs), limit, nowMs + limits.requestKeyWindowMs, dayOf(nowMs)]
    },
    begin: () => new EventBatch(),
  }
}

class EventBatch implements JoinedBatch<BillingEvent, CountedRow, JoinedResult> {
  readonly #positions = new Map<string, number>()
  readonly rows: EventGroup[] = []

  /**
   * Adds an event. Returns undefined if the batch has an event with the same request key: the statement could not decide
   * which of the two is the repeated one.
   */
  add({ orgId, projectId, stageId, requestKey, caller, how }: BillingEvent, reads: ReadPositions): number | undefined {
    const name =
      requestKey === undefined
        ? `${reads.stage},${reads.session},${reads.member},${reads.organization},${orgId},${projectId},${stageId},${how},${caller}`
        : `${orgId} ${requestKey}`
    let position = this.#positions.get(name)
    if (position !== undefined && requestKey !== undefined) return undefined
    if (position === undefined) {
      const key_hash = requestKey === undefined ? undefined : hashOfRequestKey(requestKey)
      const ids = { org_id: orgId, project_id: projectId, stage_id: stageId, caller, how, key_hash }
      position = this.rows.push({ ...reads, ...ids, n: 0 }) - 1
      this.#positions.set(name, position)
    }
    ;(this.rows[position] as EventGroup).n++
    return position
  }

  results(row: CountedRow): (position: number) => JoinedResult {
    const counted = new Set(row.counted)
    const repeated = new Set(row.repeated)
    return (position) => (counted.has(position) ? 'counted' : repeated.has(position) ? 'repeated' : 'undecided')
  }
}
