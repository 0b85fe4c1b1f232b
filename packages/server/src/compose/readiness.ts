/**
 * Whether the store takes what evaluations and writes store. Only a write shows that: a standby, a full disk and a database without its
 * synchronous standby still answer reads.
 */
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { memoizeFor } from '../concurrency/memoize-for.ts'
import type { Sql } from '../storage/sql.ts'
import { writeProbe } from '../storage/usage.ts'
import type { Store } from './store.ts'

/** How long an answer is shared. A store with two ways to it is asked by one of them each time. */
const answerMs = 1_000

type Probe = () => Promise<void>

function probe(sql: Sql): Promise<void> {
  return sql.atOnce((tx) => [writeProbe(tx)], 'process')
}

function probesOf({ sql, shared, journal }: Store, clock: Clock): readonly Probe[] {
  return shared
    ? [() => probe(sql), () => probe(shared)]
    : [() => probe(sql).then(() => journal.append(clock.now(), []))]
}

export class Readiness {
  readonly #probes: readonly Probe[]
  readonly #log: Log
  /** Errors of the probes that failed when they were last made. */
  readonly #failures = new Map<Probe, unknown>()
  #made = 0
  /** Returns whether the store takes writes. Asks it at most once a second, however many ask. */
  readonly isReady: () => Promise<boolean>

  constructor({ store, clock, log, now = () => performance.now() }: ReadinessParts) {
    this.#probes = probesOf(store, clock)
    this.#log = log
    this.isReady = memoizeFor(answerMs, now, () => this.#probe())
  }

  async #probe(): Promise<boolean> {
    const wasReady = this.#failures.size === 0
    const next = this.#probes[this.#made++ % this.#probes.length] as Probe
    try {
      await next()
      this.#failures.delete(next)
    } catch (error) {
      this.#failures.set(next, error)
    }
    const isReady = this.#failures.size === 0
    const reason = reasonOf(this.#failures.get(next))
    if (wasReady && !isReady) this.#log.error('the store takes no writes', { reason })
    if (!wasReady && isReady) this.#log.info('the store takes writes again')
    return isReady
  }
}

interface ReadinessParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The time of the machine in milliseconds. */
  readonly now?: () => number
}
