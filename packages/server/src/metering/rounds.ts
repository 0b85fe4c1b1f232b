/**
 * Validates read sets and counts usage without a query per request. All requests that arrive during a round trip to the
 * database share the next one: a single statement that checks the revisions of stages, sessions and memberships, and
 * records the usage of all these requests. Each read set is therefore validated by a read that began after its request
 * arrived, and an event is counted in the same transaction that validated its request.
 *
 * The statement counts the events that it can decide alone. If another transaction counts the same request key at the
 * same time, the statement starts over. If an organization would pass its limit, the ledger's own transaction decides.
 */
import { limits } from '@rollkey/contract'
import type { ReadSet, ReadValidator, CacheEntry, LogicalClock } from '../consistency/read-set.ts'
import { dayOf, monthOf, type Clock } from '../base/clock.ts'
import { hashOfRequestKey } from './request-key.ts'
import type { Reader } from '../storage/sql.ts'
import type { BillingEvent } from '../storage/usage.ts'

/** `stale`: validation failed; `undecided`: nothing was counted, and the ledger has to decide. */
export type Outcome = 'stale' | 'current' | 'counted' | 'repeated' | 'undecided'

/** Counts since the start, for /metrics. */
export interface RoundCounts {
  /** Statements sent. */
  rounds: number
  /** Requests that shared them. */
  requests: number
}

export interface SharedRounds extends ReadValidator {
  readonly counts: RoundCounts
  /** Validates the reads and counts the event in one step. Throws StoreUnavailable. */
  charge(reads: ReadSet, event: BillingEvent): Promise<Outcome>
}

interface Waiting {
  readonly reads: ReadSet
  readonly event: BillingEvent | undefined
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** SQLSTATE that the statement raises on purpose if another transaction has just counted one of its keys. */
const divisionByZero = '22012'

/** Events with the same read set, which they name by positions in the lists of reads. */
interface Group {
  readonly stage: number | undefined
  readonly session: number | undefined
  readonly member: number | undefined
  readonly org_id: string
  readonly project_id: string
  readonly stage_id: string
  readonly caller: string
  readonly how: string
  readonly key_hash: string | undefined
  n: number
}

interface Answer {
  readonly stages: number[]
  readonly sessions: number[]
  readonly members: number[]
  readonly counted: number[]
  readonly repeated: number[]
}

function textOf(memberTable: string | undefined): string {
  const member =
    memberTable === undefined
      ? 'true'
      : `exists (select 1 from ${memberTable} t where t."organizationId" = c.org_id and t."userId" = c.user_id)`
  return `
with asked as (select cast($1 as json) as j),
stage_claims as (
  select c.i, exists (select 1 from stages t where t.id = c.id and t.revision = c.revision) as ok
  from asked, json_to_recordset(j->'stages') as c(i int, id text, revision bigint)),
session_claims as (
  select c.i, exists (select 1 from sessions t where t.id = c.id and t.revoked_at_ms is null) as ok
  from asked, json_to_recordset(j->'sessions') as c(i int, id text)),
member_claims as (
  select c.i, ${member} as ok
  from asked, json_to_recordset(j->'members') as c(i int, org_id text, user_id text)),
events as (
  select e.*, k.org_id is not null as repeated
  from asked, json_to_recordset(j->'events') as
    e(i int, stage int, session int, member int, org_id text, project_id text, stage_id text, caller text, how text,
      key_hash text, n bigint)
  left join request_keys k on k.org_id = e.org_id and k.key_hash = e.key_hash
  where not exists (select 1 from stage_claims c where c.i = e.stage and not c.ok)
    and not exists (select 1 from session_claims c where c.i = e.session and not c.ok)
    and not exists (select 1 from member_claims c where c.i = e.member and not c.ok)),
wanted as (select org_id, cast(sum(n) as bigint) as n from events where not repeated group by org_id),
spent as (
  insert into meters (org_id, meter, period, used)
  select org_id, 'evaluations', $2, n from wanted where n <= cast($3 as bigint) order by org_id
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
  do update set evaluations = usage_callers.evaluations + excluded.evaluations)
select array(select i from stage_claims where not ok) as stages,
  array(select i from session_claims where not ok) as sessions,
  array(select i from member_claims where not ok) as members,
  array(select i from counted) as counted,
  array(select i from events where repeated) as repeated,
  1 / (case when (select count(*) from keyed) = (select count(*) from counted where key_hash is not null)
       then 1 else 0 end) as sound`
}

/** The cache entries in the read sets of a round, each once, with their positions. */
class EntryIndex<Entry> {
  readonly entries: CacheEntry<Entry>[] = []
  readonly #positions = new Map<CacheEntry<Entry>, number>()

  positionOf(entry: CacheEntry<Entry> | undefined): number | undefined {
    if (!entry) return undefined
    let position = this.#positions.get(entry)
    if (position === undefined) {
      position = this.entries.push(entry) - 1
      this.#positions.set(entry, position)
    }
    return position
  }
}

/** Requests that share one statement, and the meaning of its result for each of them. */
class Round {
  readonly #stages = new EntryIndex<{ readonly stageId: string; readonly revision: number }>()
  readonly #sessions = new EntryIndex<{ readonly id: string }>()
  readonly #members = new EntryIndex<{ readonly orgId: string; readonly userId: string }>()
  readonly #groups = new Map<string, number>()
  readonly #events: Group[] = []
  readonly #requests: { waiting: Waiting; event: number | undefined }[] = []

  /**
   * Adds a request. Returns false if the round has an event with the same request key: the statement could not decide
   * which of the two is the repeated one.
   */
  add(waiting: Waiting): boolean {
    const { reads, event } = waiting
    const stage = this.#stages.positionOf(reads.stage)
    const session = this.#sessions.positionOf(reads.session)
    const member = this.#members.positionOf(reads.member)
    let position: number | undefined
    if (event) {
      const { orgId, projectId, stageId, requestKey, caller, how } = event
      const name =
        requestKey === undefined ?
          `${stage},${session},${member},${orgId},${projectId},${stageId},${how},${caller}` : `${orgId} ${requestKey}` // prettier-ignore
      position = this.#groups.get(name)
      if (position !== undefined && requestKey !== undefined) return false
      if (position === undefined) {
        const key_hash = requestKey === undefined ? undefined : hashOfRequestKey(requestKey)
        const ids = { org_id: orgId, project_id: projectId, stage_id: stageId, caller, how, key_hash }
        position = this.#events.push({ stage, session, member, ...ids, n: 0 }) - 1
        this.#groups.set(name, position)
      }
      ;(this.#events[position] as Group).n++
    }
    this.#requests.push({ waiting, event: position })
    return true
  }

  /** The parameter of the statement, as JSON. */
  get question(): string {
    return JSON.stringify({
      stages: this.#stages.entries.map(({ entry: { stageId: id, revision } }, i) => ({ i, id, revision })),
      sessions: this.#sessions.entries.map(({ entry: { id } }, i) => ({ i, id })),
      members: this.#members.entries.map(({ entry: { orgId, userId } }, i) => ({ i, org_id: orgId, user_id: userId })),
      events: this.#events.map((event, i) => ({ i, ...event })),
    })
  }

  settle(answer: Answer, asOf: number): void {
    const stale = new Set<CacheEntry<unknown>>()
    mark(this.#stages.entries, answer.stages, asOf, stale)
    mark(this.#sessions.entries, answer.sessions, asOf, stale)
    mark(this.#members.entries, answer.members, asOf, stale)
    const counted = new Set(answer.counted)
    const repeated = new Set(answer.repeated)
    for (const { waiting, event } of this.#requests) {
      const { stage, session, member } = waiting.reads
      const isStale = [stage, session, member].some((entry) => entry && stale.has(entry))
      waiting.reads.markValidated()
      if (isStale) waiting.resolve('stale')
      else if (event === undefined) waiting.resolve('current')
      else if (counted.has(event)) waiting.resolve('counted')
      else waiting.resolve(repeated.has(event) ? 'repeated' : 'undecided')
    }
  }

  fail(error: unknown): void {
    for (const { waiting } of this.#requests) waiting.reject(error)
  }
}

function mark(
  entries: readonly CacheEntry<unknown>[],
  stalePositions: readonly number[],
  asOf: number,
  stale: Set<CacheEntry<unknown>>,
): void {
  for (const entry of entries) entry.asOf = asOf
  for (const position of stalePositions) {
    const entry = entries[position] as CacheEntry<unknown>
    entry.forget()
    stale.add(entry)
  }
}

class Counter implements LogicalClock {
  now = 0

  next(): number {
    return ++this.now
  }
}

export class PostgresRounds implements SharedRounds {
  readonly #sql: Reader
  readonly #clock: Clock
  readonly #limit: number
  readonly #text: string
  readonly logicalClock = new Counter()
  readonly counts: RoundCounts = { rounds: 0, requests: 0 }
  #waiting: Waiting[] = []
  #underWay = false

  /**
   * `limit` is the maximum events per UTC month. `memberTable` is the table of the embedded provider, if its members are
   * cached.
   */
  constructor(parts: { sql: Reader; clock: Clock; limit: number; memberTable: string | undefined }) {
    this.#sql = parts.sql
    this.#clock = parts.clock
    this.#limit = parts.limit
    this.#text = textOf(parts.memberTable)
  }

  validate(reads: ReadSet): boolean | Promise<boolean> {
    return reads.isValidated || this.#ask(reads, undefined).then((outcome) => outcome === 'current')
  }

  charge(reads: ReadSet, event: BillingEvent): Promise<Outcome> {
    return this.#ask(reads, event)
  }

  #ask(reads: ReadSet, event: BillingEvent | undefined): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ reads, event, resolve, reject })
      if (this.#underWay) return
      this.#underWay = true
      // The round includes all requests that the sockets deliver in this turn of the event loop.
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      const round = new Round()
      this.#waiting = waiting.filter((request) => !round.add(request))
      this.counts.requests += waiting.length - this.#waiting.length
      const asOf = this.logicalClock.next()
      try {
        round.settle(await this.#answer(round), asOf)
      } catch (error) {
        round.fail(error)
        // The requests behind it have waited as long, and would wait as long again.
        for (const { reject } of this.#waiting) reject(error)
        this.#waiting = []
      }
    }
    this.#underWay = false
  }

  async #answer(round: Round): Promise<Answer> {
    const { question } = round
    for (;;) {
      this.counts.rounds++
      const nowMs = this.#clock.now()
      const times = [monthOf(nowMs), this.#limit, nowMs + limits.requestKeyWindowMs, dayOf(nowMs)]
      try {
        const [answer] = await this.#sql.all<Answer>(this.#text, question, ...times)
        return answer as Answer
      } catch (error) {
        if ((error as { code?: string }).code !== divisionByZero) throw error
      }
    }
  }
}
