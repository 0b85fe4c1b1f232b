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

/** When a new connection asked the database what it is. */
export interface Asked {
  /** The time here. */
  readonly atMs: number
  /** How many times the database had been replaced. */
  readonly replacements: number
}

export class DatabaseWatch {
  readonly #clock: Clock
  readonly #log: Log
  readonly #whenReplaced: (() => void)[] = []
  /** The server and database that the connections lead to; undefined before the first connection. */
  #server: string | undefined
  /** How many times the database was replaced. */
  replacements = 0
  /** How far the clock of this node is ahead of the database's; 0 before the first connection. */
  clockDifferenceMs = 0
  #areClocksApart = false
  #refusal: string | undefined

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock
    this.#log = log
  }

  /**
   * Calls `listener` each time the database turns out to be another one, or to have been started again: what was read from it before may not
   * be there any more. No statement has run on it by then.
   */
  onReplaced(listener: () => void): void {
    this.#whenReplaced.push(listener)
  }

  ask(): Asked {
    return { atMs: this.#clock.now(), replacements: this.replacements }
  }

  /** Notes a new connection, and what it was answered. Returns whether it may be used. */
  connected(
    asked: Asked,
    { now_ms: databaseMs, server }: { readonly now_ms: number; readonly server: string },
  ): boolean {
    if (!this.#follow(server, asked)) return false
    if (this.#refusal !== undefined) this.#log.info('the database accepts connections again')
    this.#refusal = undefined
    this.clockDifferenceMs = clockDifferenceMs(asked.atMs, databaseMs, this.#clock.now())
    const areApart = Math.abs(this.clockDifferenceMs) > maxClockDifferenceMs
    if (areApart && !this.#areClocksApart) {
      this.#log.warn('the clocks of this node and of the database differ: synchronize both with NTP', {
        durationMs: this.clockDifferenceMs,
      })
    }
    this.#areClocksApart = areApart
    return true
  }

  /** Returns false for a server other than the present one that was asked before the present one was known: it may be the former one. */
  #follow(server: string, { replacements }: Asked): boolean {
    if (server === this.#server) return true
    if (replacements !== this.replacements) return false
    const isFirst = this.#server === undefined
    this.#server = server
    if (isFirst) return true
    this.replacements++
    this.#log.info('the database was started again or is another one: this node reads everything from it again')
    for (const listener of this.#whenReplaced) listener()
    return true
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
