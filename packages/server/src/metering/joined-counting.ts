/**
 * Counts usage in the statement that validates read sets, so an event is counted in the transaction that validated its request. It locks
 * the node's lease first (`node-rows.ts`). Without a limit it counts in rows of the node and the lane. With one it locks the meters, so
 * that what it decides by them holds until its commit. If an organization would exceed its limit, or the lease is gone or has another limit
 * than the node knows, its events stay undecided. It waits for a request key that another transaction counts at the same time, and then
 * finds it repeated.
 */
import { limits } from '@rollkey/contract'
import { dayOf, monthOf, type Clock } from '../base/clock.ts'
import {
  BatchedValidator,
  type JoinedBatch,
  type JoinedText,
  type JoinedWork,
  type ReadPositions,
} from '../consistency/batched-validator.ts'
import type { Reader } from '../storage/sql.ts'
import type { BillingEvent } from '../storage/usage.ts'
import type { NodeRows } from './node-rows.ts'
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

/** Events with the same read set, of one caller in one stage. An event with a request key has a separate group. */
interface EventGroup extends ReadPositions {
  readonly i: number
  readonly org_id: string
  readonly project_id: string
  readonly stage_id: string
  readonly caller: string
  readonly how: string
  readonly key_hash: string | undefined
  n: number
}

/** Each lane counts in rows that only it writes, so no round waits until another one is on disk. With a limit, all wait for the meters. */
const lanesWithoutLimit = 2

/** `$6`: when new request keys expire, `$7`: the day, `$8`: the node. */
const eventTables = `events as (
  select e.*, (select true from request_keys k where k.org_id = e.org_id and k.key_hash = e.key_hash) is true as repeated
  from stale, json_to_recordset(cast($5 as json)) as
    e(i int, stage int, session int, member int, organization int, org_id text, project_id text, stage_id text, caller text, how text,
      key_hash text, n bigint)
  where (e.stage = any (stages)) is not true and (e.session = any (sessions)) is not true
    and (e.member = any (members)) is not true and (e.organization = any (organizations)) is not true)`

/** After `decided`. */
const countedTables = `keyed as (
  insert into request_keys (org_id, key_hash, expires_at_ms)
  select org_id, key_hash, cast($6 as bigint) from decided where key_hash is not null order by org_id, key_hash
  on conflict (org_id, key_hash) do nothing returning org_id, key_hash),
counted as (
  select d.* from decided d left join keyed k on k.org_id = d.org_id and k.key_hash = d.key_hash
  where d.key_hash is null or k.key_hash is not null)`

const columns = `array(select i from counted) as counted,
  array(select i from events where repeated union all (select i from decided except select i from counted)) as repeated`

/** `$9`: the name of the lane's rows. */
const withoutLimit: JoinedText = {
  columns,
  tables: `${eventTables},
lease as (select from counting_nodes where node = $8 and evaluations is null for share),
decided as (select e.* from events e cross join lease where not e.repeated),
${countedTables},
own as (
  insert into node_usage (org_id, node, day, caller, how, project_id, stage_id, evaluations)
  select org_id, $9, $7, caller, how, project_id, stage_id, cast(sum(n) as bigint) from counted
  group by org_id, caller, how, project_id, stage_id order by org_id, caller, how, project_id, stage_id
  on conflict (org_id, node, day, caller, how, project_id, stage_id)
  do update set evaluations = node_usage.evaluations + excluded.evaluations)`,
}

/** `$9`: the month. */
const withLimit: JoinedText = {
  columns,
  tables: `${eventTables},
requested as (select org_id, cast(sum(n) as bigint) as n from events where not repeated group by org_id),
lease as (select evaluations from counting_nodes where node = $8 for share),
locked as (
  select m.org_id from lease l cross join requested r
    join meters m on m.org_id = r.org_id and m.meter = 'evaluations' and m.period = $9
  where m.used + r.n <= l.evaluations order by m.org_id for no key update of m),
decided as (select e.* from events e join locked a on a.org_id = e.org_id where not e.repeated),
${countedTables},
spent as (
  update meters m set used = m.used + c.n
  from (select org_id, cast(sum(n) as bigint) as n from counted group by org_id) c
  where m.org_id = c.org_id and m.meter = 'evaluations' and m.period = $9),
days as (
  insert into usage_days (org_id, project_id, stage_id, day, evaluations)
  select org_id, project_id, stage_id, $7, cast(sum(n) as bigint) from counted
  group by org_id, project_id, stage_id order by org_id, project_id, stage_id
  on conflict (org_id, day, project_id, stage_id)
  do update set evaluations = usage_days.evaluations + excluded.evaluations),
callers as (
  insert into usage_callers (org_id, day, caller, how, project_id, stage_id, evaluations)
  select org_id, $7, caller, how, project_id, stage_id, cast(sum(n) as bigint) from counted
  group by org_id, caller, how, project_id, stage_id order by org_id, caller, how, project_id, stage_id
  on conflict (org_id, day, caller, how, project_id, stage_id)
  do update set evaluations = usage_callers.evaluations + excluded.evaluations)`,
}

/** Returns a validator that also counts. `memberTable` is the table of the embedded provider, if its members are cached. */
export function countingValidator({ sql, memberTable, clock, rows }: CountingParts): CountingValidator {
  return new BatchedValidator({ sql, memberTable, joined: joinedCounting(clock, rows) })
}

interface CountingParts {
  readonly sql: Reader
  readonly memberTable: string | undefined
  readonly clock: Clock
  readonly rows: NodeRows
}

/** Creates the meters of a month that this node does not know to exist: the statement locks only rows that it finds. */
class MeterOpener {
  #period = ''
  #known = new Set<string>()

  async open(sql: Reader, events: readonly EventGroup[], period: string): Promise<void> {
    if (period !== this.#period) this.forget()
    this.#period = period
    const known = this.#known
    const missing = new Set(events.map(({ org_id }) => org_id).filter((id) => !known.has(id)))
    if (missing.size === 0) return
    await sql.all(
      `insert into meters (org_id, meter, period, used)
       select id, 'evaluations', $2, 0 from json_array_elements_text(cast($1 as json)) as c(id) order by id on conflict do nothing`,
      JSON.stringify([...missing]),
      period,
    )
    for (const id of missing) known.add(id)
  }

  forget(): void {
    this.#known = new Set()
  }
}

function joinedCounting(clock: Clock, rows: NodeRows): JoinedWork<BillingEvent, CountedRow, JoinedResult> {
  const meters = new MeterOpener()
  return {
    async prepare(sql, events, lane) {
      await rows.open()
      const nowMs = clock.now()
      const parameters = [nowMs + limits.requestKeyWindowMs, dayOf(nowMs), rows.node]
      if (!rows.hasLimit) return { text: withoutLimit, parameters: [...parameters, `${rows.node}.${lane}`] }
      const month = monthOf(nowMs)
      await meters.open(sql, events as readonly EventGroup[], month)
      return { text: withLimit, parameters: [...parameters, month] }
    },
    get lanes() {
      return rows.hasLimit ? 1 : lanesWithoutLimit
    },
    begin: () => new EventBatch(),
    forget() {
      meters.forget()
      rows.forget()
    },
  }
}

class EventBatch implements JoinedBatch<BillingEvent, CountedRow, JoinedResult> {
  readonly #requestKeys = new Set<string>()
  readonly #byCaller = new Map<string, EventGroup[]>()
  readonly rows: EventGroup[] = []

  /**
   * Adds an event. Returns undefined if the batch has an event with the same request key: the statement could not decide
   * which of the two is the repeated one.
   */
  add(event: BillingEvent, reads: ReadPositions): number | undefined {
    const { orgId, requestKey } = event
    if (requestKey !== undefined) {
      const name = `${orgId} ${requestKey}`
      if (this.#requestKeys.has(name)) return undefined
      this.#requestKeys.add(name)
    }
    const group = requestKey === undefined ? this.#groupOf(event, reads) : this.#newGroup(event, reads)
    group.n++
    return group.i
  }

  /** Compares fields: joining them to a key would take more than half of the time of an event. */
  #groupOf(event: BillingEvent, reads: ReadPositions): EventGroup {
    const groups = this.#byCaller.get(event.caller) ?? []
    if (groups.length === 0) this.#byCaller.set(event.caller, groups)
    let group = groups.find((each) => belongsTo(each, event, reads))
    if (!group) groups.push((group = this.#newGroup(event, reads)))
    return group
  }

  #newGroup({ orgId, projectId, stageId, requestKey, caller, how }: BillingEvent, reads: ReadPositions): EventGroup {
    const key_hash = requestKey === undefined ? undefined : hashOfRequestKey(requestKey)
    const ids = { org_id: orgId, project_id: projectId, stage_id: stageId, caller, how, key_hash }
    const group = { i: this.rows.length, ...reads, ...ids, n: 0 }
    this.rows.push(group)
    return group
  }

  results(row: CountedRow): (position: number) => JoinedResult {
    const counted = new Set(row.counted)
    const repeated = new Set(row.repeated)
    return (position) => (counted.has(position) ? 'counted' : repeated.has(position) ? 'repeated' : 'undecided')
  }
}

/** Returns whether the event, of the group's caller, belongs to the group. */
function belongsTo(group: EventGroup, { orgId, projectId, stageId, how }: BillingEvent, reads: ReadPositions): boolean {
  return (
    group.stage_id === stageId &&
    group.project_id === projectId &&
    group.org_id === orgId &&
    group.how === how &&
    group.stage === reads.stage &&
    group.session === reads.session &&
    group.member === reads.member &&
    group.organization === reads.organization
  )
}
