/**
 * Validates read sets without a query per request. All requests that arrive during a round trip to the database share the
 * next one: a single statement that checks the revisions of stages, sessions, memberships and organizations. Each read set is therefore
 * validated by a read that began after its request arrived (docs/decisions/0008-rounds.md).
 *
 * Other work can join the statement (`JoinedWork`), so that it is done only for requests whose reads are current, in the
 * transaction that validates them.
 */
import type { Reader, Value } from '../storage/sql.ts'
import type { CacheEntry, ReadSet } from './read-set.ts'
import { StaleRead, type LogicalClock, type ReadValidator } from './read-validator.ts'

/** Positions of a request's reads in the tables `stage_reads`, `session_reads` and so on; undefined if not read. */
export interface ReadPositions {
  readonly stage: number | undefined
  readonly session: number | undefined
  readonly member: number | undefined
  readonly organization: number | undefined
}

/** Text that joins the statement. */
export interface JoinedText {
  /**
   * Common table expressions after `stale`, a row with the positions of the reads that are not current: the arrays `stages`, `sessions`,
   * `members` and `organizations`. `$5` has the items as JSON.
   */
  readonly tables: string
  /** Columns of the result. */
  readonly columns: string
}

/** Work that joins the statement. */
export interface JoinedWork<Item, Row, Result> {
  /**
   * Stores what the statement of a lane needs to find for the items, given as rows, unless it is known to be there. Returns one of a few
   * texts, and its parameters from `$6` on.
   */
  prepare(sql: Reader, rows: readonly object[], lane: number): Promise<{ text: JoinedText; parameters: Value[] }>
  /** How many statements may be under way at once, each in a lane: those of different lanes do not wait for each other's rows. */
  readonly lanes: number
  begin(): JoinedBatch<Item, Row, Result>
  /** Forgets what `prepare` has found to be there, because the database was replaced. */
  forget(): void
}

/** The items of one statement. */
export interface JoinedBatch<Item, Row, Result> {
  /** Adds an item of a request with these reads. Returns its position, or undefined if it must wait for the next statement. */
  add(item: Item, reads: ReadPositions): number | undefined
  /** The items as rows of JSON, in the order of their positions `i`. */
  readonly rows: readonly object[]
  /** Returns a function that returns the result of the item at a position. */
  results(row: Row): (position: number) => Result
}

/** Counts since the start, for /metrics. */
export interface RoundCounts {
  /** Statements sent. */
  rounds: number
  /** Requests that shared them. */
  requests: number
}

interface Waiting<Item, Result> {
  readonly reads: ReadSet
  readonly item: Item | undefined
  readonly settle: (result: Result | 'current' | 'stale') => void
  readonly reject: (error: unknown) => void
}

/** Positions of entries that are not current, by kind. */
interface StaleReads {
  readonly stages: number[]
  readonly sessions: number[]
  readonly members: number[]
  readonly organizations: number[]
}

/**
 * Each row is looked up by a scalar subquery, which PostgreSQL runs with an index. It would answer `exists` by reading the whole table,
 * because it expects a hundred rows of any JSON.
 */
function statementFor(memberTable: string | undefined, joined: JoinedText | undefined): string {
  const member =
    memberTable === undefined
      ? 'true'
      : `(select true from ${memberTable} t where t."organizationId" = c.org_id and t."userId" = c.user_id limit 1)`
  return `
with stale as (select
  array(select i from json_to_recordset(cast($1 as json)) as c(i int, id text, revision bigint)
    where (select t.revision = c.revision from stages t where t.id = c.id) is not true) as stages,
  array(select i from json_to_recordset(cast($2 as json)) as c(i int, id text, version bigint)
    where (select t.version = c.version and t.revoked_at_ms is null from sessions t where t.id = c.id) is not true) as sessions,
  array(select i from json_to_recordset(cast($3 as json)) as c(i int, org_id text, user_id text)
    where ${member} is not true) as members,
  array(select i from json_to_recordset(cast($4 as json)) as c(i int, id text, revision bigint)
    where (select t.deleted_at_ms is null and t.access_revision = coalesce(c.revision, t.access_revision)
      from organizations t where t.id = c.id) is not true) as organizations)${joined ? `,\n${joined.tables}` : ''}
select stages, sessions, members, organizations${joined ? `,\n  ${joined.columns}` : ''}
from stale`
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

  /** Sets the logical time of the entries, removes the stale ones from their caches and adds these to `stale`. */
  settle(stalePositions: readonly number[], asOf: number, stale: Set<CacheEntry<unknown>>): void {
    for (const entry of this.entries) entry.asOf = Math.max(entry.asOf, asOf)
    for (const position of stalePositions) {
      const entry = this.entries[position] as CacheEntry<Entry>
      entry.forget()
      stale.add(entry)
    }
  }
}

/**
 * A round of at most this many requests lets another one begin beside it, so that a request rarely waits for two. Under load, rounds are
 * larger: then one at a time takes less processor time.
 */
const smallRound = 8

/** Requests that share one statement. Gives each of them its part of the result. */
class Round<Item, Row, Result> {
  readonly #stages = new EntryIndex<{ readonly stageId: string; readonly revision: number }>()
  readonly #sessions = new EntryIndex<{ readonly id: string; readonly version: number }>()
  readonly #members = new EntryIndex<{ readonly orgId: string; readonly userId: string }>()
  readonly #organizations = new EntryIndex<{ readonly id: string; readonly accessRevision?: number }>()
  readonly #batch: JoinedBatch<Item, Row, Result>
  readonly #requests: { waiting: Waiting<Item, Result>; position: number | undefined }[] = []

  constructor(batch: JoinedBatch<Item, Row, Result>) {
    this.#batch = batch
  }

  /** Adds a request. Returns false if it must wait for the next round. */
  add(waiting: Waiting<Item, Result>): boolean {
    const { reads, item } = waiting
    const stage = this.#stages.positionOf(reads.stage)
    const session = this.#sessions.positionOf(reads.session)
    const member = this.#members.positionOf(reads.member)
    const organization = this.#organizations.positionOf(reads.organization)
    const positions = { stage, session, member, organization }
    const position = item === undefined ? undefined : this.#batch.add(item, positions)
    if (item !== undefined && position === undefined) return false
    this.#requests.push({ waiting, position })
    return true
  }

  get isSmall(): boolean {
    return this.#requests.length <= smallRound
  }

  get items(): readonly object[] {
    return this.#batch.rows
  }

  /** The parameters `$1` to `$4`. */
  get reads(): Value[] {
    const tables = [
      this.#stages.entries.map(({ entry: { stageId: id, revision } }, i) => ({ i, id, revision })),
      this.#sessions.entries.map(({ entry: { id, version } }, i) => ({ i, id, version })),
      this.#members.entries.map(({ entry: { orgId, userId } }, i) => ({ i, org_id: orgId, user_id: userId })),
      this.#organizations.entries.map(({ entry: { id, accessRevision: revision } }, i) => ({ i, id, revision })),
    ]
    return tables.map((rows) => JSON.stringify(rows))
  }

  settle(row: StaleReads & Row, asOf: number): void {
    const stale = new Set<CacheEntry<unknown>>()
    this.#stages.settle(row.stages, asOf, stale)
    this.#sessions.settle(row.sessions, asOf, stale)
    this.#members.settle(row.members, asOf, stale)
    this.#organizations.settle(row.organizations, asOf, stale)
    const resultAt = this.items.length > 0 ? this.#batch.results(row) : undefined
    for (const { waiting, position } of this.#requests) {
      const { stage, session, member, organization } = waiting.reads
      const isStale =
        stale.size > 0 && [stage, session, member, organization].some((entry) => entry && stale.has(entry))
      waiting.reads.markValidated()
      if (isStale) waiting.settle('stale')
      else waiting.settle(position === undefined || !resultAt ? 'current' : resultAt(position))
    }
  }

  fail(error: unknown): void {
    for (const { waiting } of this.#requests) waiting.reject(error)
  }

  /** Lets all requests start over. */
  restart(): void {
    for (const { waiting } of this.#requests) startOver(waiting)
  }
}

function startOver({ reads, settle }: Pick<Waiting<never, never>, 'reads' | 'settle'>): void {
  reads.markValidated()
  settle('stale')
}

class Counter implements LogicalClock {
  now = 0
  voidUpTo = -Infinity

  next(): number {
    return ++this.now
  }
}

export class BatchedValidator<Item, Row, Result> implements ReadValidator {
  readonly #sql: Reader
  readonly #joined: JoinedWork<Item, Row, Result>
  readonly #memberTable: string | undefined
  /** The statement by what joins it. */
  readonly #statements = new Map<JoinedText | undefined, string>()
  readonly logicalClock = new Counter()
  readonly counts: RoundCounts = { rounds: 0, requests: 0 }
  #waiting: Waiting<Item, Result>[] = []
  /** The round under way in each lane. */
  readonly #underWay: (Round<Item, Row, Result> | undefined)[] = []
  #isStarting = false

  /** `memberTable` is the table of the embedded provider, if its members are cached. */
  constructor(parts: { sql: Reader; memberTable: string | undefined; joined: JoinedWork<Item, Row, Result> }) {
    this.#sql = parts.sql
    this.#joined = parts.joined
    this.#memberTable = parts.memberTable
  }

  validate(reads: ReadSet): boolean | Promise<boolean> {
    if (reads.isValidated) return true
    return new Promise((resolve, reject) => {
      this.#add({ reads, item: undefined, settle: (result) => resolve(result === 'current'), reject })
    })
  }

  /** Validates the reads and does the joined work of the item in one step. Throws StaleRead or StoreUnavailable. */
  run(reads: ReadSet, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settle = (result: Result | 'current' | 'stale'): void => {
        if (result === 'stale') reject(new StaleRead())
        else resolve(result as Result)
      }
      this.#add({ reads, item, settle, reject })
    })
  }

  /** Lets everything that was read from the database before count no more, because another one has replaced it. */
  databaseReplaced(): void {
    this.logicalClock.voidUpTo = this.logicalClock.now
    this.#joined.forget()
    for (const waiting of this.#waiting) startOver(waiting)
    this.#waiting = []
  }

  #isVoid(asOf: number): boolean {
    return asOf <= this.logicalClock.voidUpTo
  }

  #add(waiting: Waiting<Item, Result>): void {
    if (this.#isVoid(waiting.reads.oldest)) return startOver(waiting)
    this.#waiting.push(waiting)
    if (this.#isStarting || this.#freeLane() === undefined) return
    this.#isStarting = true
    // The round includes all requests that the sockets deliver in this turn of the event loop.
    setImmediate(() => {
      this.#isStarting = false
      void this.#runRounds()
    })
  }

  /** Returns the lane in which a round may begin. Undefined: what waits does so for a round under way. */
  #freeLane(): number | undefined {
    let free: number | undefined
    for (let lane = this.#joined.lanes - 1; lane >= 0; lane--) {
      const round = this.#underWay[lane]
      if (!round) free = lane
      else if (!round.isSmall) return undefined
    }
    return free
  }

  async #runRounds(): Promise<void> {
    for (let lane = this.#freeLane(); lane !== undefined && this.#waiting.length > 0; lane = this.#freeLane())
      await this.#runRound(lane)
  }

  async #runRound(lane: number): Promise<void> {
    const waiting = this.#waiting
    const round = new Round(this.#joined.begin())
    this.#waiting = waiting.filter((request) => !round.add(request))
    this.counts.requests += waiting.length - this.#waiting.length
    const asOf = this.logicalClock.next()
    this.#underWay[lane] = round
    try {
      const row = await this.#query(round, asOf, lane)
      if (this.#isVoid(asOf)) throw new StaleRead()
      round.settle(row, asOf)
    } catch (error) {
      if (this.#isVoid(asOf)) return round.restart()
      round.fail(error)
      // The requests for the next round have waited just as long. They fail too, so that they do not wait twice.
      for (const { reject } of this.#waiting) reject(error)
      this.#waiting = []
    } finally {
      this.#underWay[lane] = undefined
    }
  }

  async #query(round: Round<Item, Row, Result>, asOf: number, lane: number): Promise<StaleReads & Row> {
    const { items } = round
    // Without items the statement only reads, so it waits for no disk.
    const joined = items.length > 0 ? await this.#joined.prepare(this.#sql, items, lane) : undefined
    if (this.#isVoid(asOf)) throw new StaleRead()
    this.counts.rounds++
    const more = joined ? [JSON.stringify(items), ...joined.parameters] : []
    const [row] = await this.#sql.all<StaleReads & Row>(this.#statementWith(joined?.text), ...round.reads, ...more)
    return row as StaleReads & Row
  }

  #statementWith(joined: JoinedText | undefined): string {
    let statement = this.#statements.get(joined)
    if (statement === undefined) this.#statements.set(joined, (statement = statementFor(this.#memberTable, joined)))
    return statement
  }
}
