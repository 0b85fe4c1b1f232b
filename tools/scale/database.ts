/**
 * The database of a simulation: a round needs a core, locks the rows of its organizations in order, and holds the locks until
 * its commit is flushed. Times are in ms. docs/scale.md says where each figure comes from.
 */
import type { Events } from './events.ts'

export interface Costs {
  /** Time of a node's only processor per request, before its round and after. */
  readonly intake: number
  readonly answer: number
  /** Round trip between node and database, driver included. */
  readonly roundTrip: number
  /** Time of a database core per round, before it takes rows and after. */
  readonly before: number
  readonly after: number
  /** Time per organization in a round: before, to take the row, and after. */
  readonly orgBefore: number
  readonly orgLock: number
  readonly orgAfter: number
  /** Delay to continue after waiting for a row. */
  readonly wake: number
  /** Duration of one flush of the log. Commits that arrive during a flush share the next. */
  readonly flush: number
  readonly cores: number
}

/** Timeouts of packages/server/src/storage/postgres.ts. */
const lockTimeout = 1_000
const statementTimeout = 1_500
/** Number of rows locked in one turn on a core. */
const rowsAtOnce = 8

interface Statement {
  /** One for each organization that it counts for. */
  readonly rows: readonly number[]
  readonly done: (isAnswered: boolean) => void
  startedAt: number
  /** Number of its rows whose locks it holds. */
  held: number
}

class Row {
  since = -1
  holder: Statement | undefined
  readonly waiting: { statement: Statement; go: () => void }[] = []
}

export class Database {
  readonly #events: Events
  readonly #costs: Costs
  readonly #rows = new Map<number, Row>()
  #free: number
  readonly #waitingForCore: (() => void)[] = []
  #waitingForFlush: Statement[] = []
  #isFlushing = false
  readonly total = { rounds: 0, orgs: 0, waitMs: 0, coreMs: 0, flushMs: 0 }
  readonly heldMs = new Map<number, number>()

  constructor(events: Events, costs: Costs) {
    this.#events = events
    this.#costs = costs
    this.#free = costs.cores
  }

  run(statement: Statement): void {
    statement.startedAt = this.#events.now
    this.total.rounds++
    this.total.orgs += statement.rows.length
    const { before, orgBefore } = this.#costs
    this.#work(before + statement.rows.length * orgBefore, () => this.#lock(statement))
  }

  #work(ms: number, then: () => void): void {
    if (this.#free === 0) {
      this.#waitingForCore.push(() => this.#work(ms, then))
      return
    }
    this.#free--
    this.total.coreMs += ms
    this.#events.at(this.#events.now + ms, () => {
      this.#free++
      then()
      if (this.#free > 0) this.#waitingForCore.shift()?.()
    })
  }

  #lock(statement: Statement): void {
    const { rows, held } = statement
    const { orgLock, after, orgAfter, wake } = this.#costs
    while (statement.held < rows.length && statement.held < held + rowsAtOnce) {
      const row = this.#row(rows[statement.held] as number)
      if (row.holder) break
      row.holder = statement
      row.since = this.#events.now
      statement.held++
    }
    if (statement.held > held) this.#work((statement.held - held) * orgLock, () => this.#lock(statement))
    else if (held === rows.length) {
      this.#work(after + rows.length * orgAfter, () => {
        this.#waitingForFlush.push(statement)
        if (!this.#isFlushing) this.#flush()
      })
    } else this.#wait(statement, this.#row(rows[held] as number), orgLock + wake)
  }

  #wait(statement: Statement, row: Row, costAfter: number): void {
    const since = this.#events.now
    let isWaiting = true
    const entry = {
      statement,
      go: () => {
        isWaiting = false
        this.total.waitMs += this.#events.now - since
        this.#work(costAfter, () => this.#lock(statement))
      },
    }
    row.waiting.push(entry)
    this.#events.at(Math.min(since + lockTimeout, statement.startedAt + statementTimeout), () => {
      if (!isWaiting) return
      row.waiting.splice(row.waiting.indexOf(entry), 1)
      this.total.waitMs += this.#events.now - since
      this.#end(statement, false)
    })
  }

  #flush(): void {
    const flushed = this.#waitingForFlush
    this.#waitingForFlush = []
    this.#isFlushing = flushed.length > 0
    if (!this.#isFlushing) return
    this.total.flushMs += this.#costs.flush
    this.#events.at(this.#events.now + this.#costs.flush, () => {
      for (const statement of flushed) this.#end(statement, true)
      this.#flush()
    })
  }

  #end(statement: Statement, isAnswered: boolean): void {
    for (const name of statement.rows.slice(0, statement.held)) {
      const row = this.#row(name)
      this.heldMs.set(name, (this.heldMs.get(name) ?? 0) + this.#events.now - row.since)
      const next = row.waiting.shift()
      row.holder = next?.statement
      row.since = this.#events.now
      if (next) next.statement.held++
      next?.go()
    }
    statement.done(isAnswered)
  }

  #row(name: number): Row {
    let row = this.#rows.get(name)
    if (!row) this.#rows.set(name, (row = new Row()))
    return row
  }
}
