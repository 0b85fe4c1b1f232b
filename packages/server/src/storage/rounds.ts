/**
 * Current answers without a query per request. Everything that requests want confirmed or counted while a round trip to
 * the database is under way shares the next one: a single statement that looks at the revisions of stages, the life of
 * sessions and memberships, and records the usage of all of them. What a request took from memory is thus confirmed by a
 * look that began after it arrived, and an event is counted in the same transaction that found its request current.
 *
 * The statement counts what it can decide at once; a request key that comes twice at the same moment makes it start over,
 * and an organization that would pass its limit is left to the ledger's own transaction.
 */
import { limits } from '@rollkey/contract'
import type { ReadSet, ReadValidator, CacheEntry, LogicalClock } from '../consistency/read-set.ts'
import { dayOf, monthOf, type Clock } from '../base/clock.ts'
import { hashOfRequestKey } from '../base/request-key.ts'
import type { Reader } from './sql.ts'
import type { BillingEvent } from './usage.ts'

/** `undecided`: nothing was counted, and the ledger has to decide. */
export type Outcome = 'outdated' | 'current' | 'counted' | 'repeated' | 'undecided'

/** Since the start, for /metrics. */
export interface RoundCounts {
  /** Statements sent. */
  rounds: number
  /** Requests that shared them. */
  requests: number
}

export interface SharedRounds extends ReadValidator {
  readonly counts: RoundCounts
  /** Confirms and counts in one step. Throws StoreUnavailable. */
  charge(reads: ReadSet, event: BillingEvent): Promise<Outcome>
}

interface Waiting {
  readonly reads: ReadSet
  readonly event: BillingEvent | undefined
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** SQLSTATE of the statement's own alarm: somebody else has just counted one of the keys. */
const divisionByZero = '22012'

/** Events that share what they depend on, by their places in the lists of reads. */
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

/** The entries that the reads of a group name, each once, with their places. */
class EntryIndex<Entry> {
  readonly held: CacheEntry<Entry>[] = []
  readonly #places = new Map<CacheEntry<Entry>, number>()

  placeOf(held: CacheEntry<Entry> | undefined): number | undefined {
    if (!held) return undefined
    let place = this.#places.get(held)
    if (place === undefined) {
      place = this.held.push(held) - 1
      this.#places.set(held, place)
    }
    return place
  }
}

/** A group of requests as one question, and what its answer means for each of them. */
class Round {
  readonly #stages = new EntryIndex<{ readonly stageId: string; readonly revision: number }>()
  readonly #sessions = new EntryIndex<{ readonly id: string }>()
  readonly #members = new EntryIndex<{ readonly orgId: string; readonly userId: string }>()
  readonly #groups = new Map<string, number>()
  readonly #events: Group[] = []
  readonly #asked: { waiting: Waiting; event: number | undefined }[] = []

  /** False if an event of the same request key is in it already: which of the two is the repeated one is then open. */
  add(waiting: Waiting): boolean {
    const { reads, event } = waiting
    const stage = this.#stages.placeOf(reads.stage)
    const session = this.#sessions.placeOf(reads.session)
    const member = this.#members.placeOf(reads.member)
    let place: number | undefined
    if (event) {
      const { orgId, projectId, stageId, requestKey, caller, how } = event
      const name =
        requestKey === undefined ?
          `${stage},${session},${member},${orgId},${projectId},${stageId},${how},${caller}` : `${orgId} ${requestKey}` // prettier-ignore
      place = this.#groups.get(name)
      if (place !== undefined && requestKey !== undefined) return false
      if (place === undefined) {
        const key_hash = requestKey === undefined ? undefined : hashOfRequestKey(requestKey)
        const ids = { org_id: orgId, project_id: projectId, stage_id: stageId, caller, how, key_hash }
        place = this.#events.push({ stage, session, member, ...ids, n: 0 }) - 1
        this.#groups.set(name, place)
      }
      ;(this.#events[place] as Group).n++
    }
    this.#asked.push({ waiting, event: place })
    return true
  }

  /** JSON, as the statement takes it. */
  get question(): string {
    return JSON.stringify({
      stages: this.#stages.held.map(({ entry: { stageId: id, revision } }, i) => ({ i, id, revision })),
      sessions: this.#sessions.held.map(({ entry: { id } }, i) => ({ i, id })),
      members: this.#members.held.map(({ entry: { orgId, userId } }, i) => ({ i, org_id: orgId, user_id: userId })),
      events: this.#events.map((event, i) => ({ i, ...event })),
    })
  }

  settle(answer: Answer, asOf: number): void {
    const outdated = new Set<CacheEntry<unknown>>()
    mark(this.#stages.held, answer.stages, asOf, outdated)
    mark(this.#sessions.held, answer.sessions, asOf, outdated)
    mark(this.#members.held, answer.members, asOf, outdated)
    const counted = new Set(answer.counted)
    const repeated = new Set(answer.repeated)
    for (const { waiting, event } of this.#asked) {
      const { stage, session, member } = waiting.reads
      const isOutdated = [stage, session, member].some((held) => held && outdated.has(held))
      waiting.reads.markValidated()
      if (isOutdated) waiting.resolve('outdated')
      else if (event === undefined) waiting.resolve('current')
      else if (counted.has(event)) waiting.resolve('counted')
      else waiting.resolve(repeated.has(event) ? 'repeated' : 'undecided')
    }
  }

  fail(error: unknown): void {
    for (const { waiting } of this.#asked) waiting.reject(error)
  }
}

function mark(
  all: readonly CacheEntry<unknown>[],
  wrong: readonly number[],
  asOf: number,
  outdated: Set<CacheEntry<unknown>>,
): void {
  for (const held of all) held.asOf = asOf
  for (const place of wrong) {
    const held = all[place] as CacheEntry<unknown>
    held.forget()
    outdated.add(held)
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

  /** `limit`: events of a UTC month; `memberTable`: of the embedded provider, if its members are kept in memory. */
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
      // Whatever else the sockets hold in this turn of the event loop comes along.
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      const round = new Round()
      this.#waiting = waiting.filter((asked) => !round.add(asked))
      this.counts.requests += waiting.length - this.#waiting.length
      const asOf = this.logicalClock.next()
      try {
        round.settle(await this.#answer(round), asOf)
      } catch (error) {
        round.fail(error)
        // Those behind it have waited as long, and would wait as long again.
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
