/**
 * Applies changes at their times, on every node. A lease keeps nodes from working on the same change. That a change is applied once
 * does not depend on it: the change moves in the transaction of its write (docs/change.md).
 */
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { ChangeRow } from '../storage/changes.ts'
import { leaseDueChanges, nextDueAtMs } from '../storage/due-changes.ts'
import type { Sql } from '../storage/sql.ts'

/** How long a node waits at most before it looks again: for changes of other nodes, and for ended leases. */
const pollIntervalMs = 250
/** How long a node leases changes. With the poll, the changes of a killed node are less than a second late. */
const leaseMs = 500
const batchSize = 16

/** Applies a due change, or lets it wait. Throws if it must be tried again. */
type ApplyDue = (row: ChangeRow) => Promise<void>

export class ChangeWorker {
  readonly #sql: Sql
  readonly #applyDue: ApplyDue
  readonly #clock: Clock
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #isFailing = false
  #isStopping = false

  constructor(parts: { sql: Sql; applyDue: ApplyDue; clock: Clock; log: Log }) {
    this.#sql = parts.sql
    this.#applyDue = parts.applyDue
    this.#clock = parts.clock
    this.#log = parts.log
  }

  start(): void {
    this.#wake(0)
  }

  /** Stops. Waits until what is being applied is done. */
  async close(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#round
  }

  #wake(afterMs: number): void {
    if (this.#isStopping) return
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound()
    }, afterMs).unref()
  }

  async #runRound(): Promise<void> {
    let waitMs = pollIntervalMs
    try {
      waitMs = await this.#work()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('due changes could not be read', { reason: reasonOf(error) })
      this.#isFailing = true
    }
    this.#wake(Math.min(waitMs, pollIntervalMs))
  }

  /** Applies all due changes that no other node works on. Returns how long until the next one is due. */
  async #work(): Promise<number> {
    while (!this.#isStopping) {
      const dueAtMs = await nextDueAtMs(this.#sql)
      const nowMs = this.#clock.now()
      if (dueAtMs === undefined || dueAtMs > nowMs) return (dueAtMs ?? Infinity) - nowMs
      const lease = { nowMs, leaseMs, limit: batchSize }
      const leased = await this.#sql.tx((tx) => leaseDueChanges(tx, lease), 'process')
      if (leased.length === 0) break
      await Promise.all(leased.map((row) => this.#try(row)))
    }
    return pollIntervalMs
  }

  async #try(row: ChangeRow): Promise<void> {
    try {
      await this.#applyDue(row)
    } catch (error) {
      this.#log.warn('a due change could not be applied and will be tried again', {
        name: row.id,
        reason: reasonOf(error),
      })
    }
  }
}
