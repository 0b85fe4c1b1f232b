/** What the connections of a node find out about its database, for the log and the metrics. */
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { problemOf } from './database-problems.ts'

/** The difference above which clocks count as different: each node decides by its own clock whether something has expired. */
export const maxClockDifferenceMs = 1_000

/**
 * Returns how far a clock here, read before and after a question, is ahead of the clock of the server that answered; negative if it is behind.
 * A slow answer is not a difference: any time between question and answer counts as equal.
 */
export function clockDifferenceMs(beforeMs: number, serverMs: number, afterMs: number): number {
  if (beforeMs > serverMs) return beforeMs - serverMs
  return afterMs < serverMs ? afterMs - serverMs : 0
}

export class DatabaseWatch {
  readonly clock: Clock
  readonly #log: Log
  /** How far the clock of this node is ahead of the database's; 0 before the first connection. */
  clockDifferenceMs = 0
  #areClocksApart = false
  #refusal: string | undefined

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.clock = clock
    this.#log = log
  }

  /** Notes a new connection. `beforeMs` is the time here before the database told its time. */
  connected(beforeMs: number, databaseMs: number): void {
    if (this.#refusal !== undefined) this.#log.info('the database accepts connections again')
    this.#refusal = undefined
    this.clockDifferenceMs = clockDifferenceMs(beforeMs, databaseMs, this.clock.now())
    const areApart = Math.abs(this.clockDifferenceMs) > maxClockDifferenceMs
    if (areApart && !this.#areClocksApart) {
      this.#log.warn('the clocks of this node and of the database differ: synchronize both with NTP', {
        durationMs: this.clockDifferenceMs,
      })
    }
    this.#areClocksApart = areApart
  }

  /** Notes a connection that could not be made. Logs a reason once, until there is a connection again. */
  refused(error: unknown): void {
    const problem = problemOf(error)
    const message = problem ? `the database ${problem.found}: ${problem.todo}` : 'the database cannot be reached'
    if (message === this.#refusal) return
    this.#refusal = message
    this.#log.error(message, { reason: reasonOf(error) })
  }
}
