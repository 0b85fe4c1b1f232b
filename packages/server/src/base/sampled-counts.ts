/**
 * Counts what may come a thousand times a second, in memory, so that each kind of it is noted at most once a minute. A process
 * that is killed loses the latest.
 */
import type { Clock } from './clock.ts'

interface Count<Kind> {
  /** As of the first one that was counted. */
  readonly kind: Kind
  count: number
  /** When it may be noted at the earliest. */
  notBefore: number
}

/** What is to be noted now. */
export interface DueCount<Kind> {
  readonly kind: Kind
  readonly count: number
  /** To be called when it is noted: what came since waits for a minute. */
  readonly done: () => void
}

const everyMs = 60_000
/** Kinds of a minute; of more, the rest is not noted. */
const maxCounts = 10_000

export class SampledCounts<Kind> {
  readonly #clock: Clock
  readonly #tallies = new Map<string, Count<Kind>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(key: string, kind: Kind): void {
    const tally = this.#tallies.get(key)
    if (tally) tally.count++
    else if (this.#tallies.size < maxCounts) this.#tallies.set(key, { kind, count: 1, notBefore: 0 })
  }

  /** Returns what is due; with `isLast`, all. */
  due(isLast: boolean): DueCount<Kind>[] {
    const nowMs = this.#clock.now()
    for (const [key, { count, notBefore }] of this.#tallies) {
      if (count === 0 && nowMs >= notBefore) this.#tallies.delete(key)
    }
    const due = [...this.#tallies.values()].filter(
      ({ count, notBefore }) => count > 0 && (isLast || nowMs >= notBefore),
    )
    return due.map((tally) => {
      const { kind, count } = tally
      const done = (): void => {
        tally.count -= count
        tally.notBefore = nowMs + everyMs
      }
      return { kind, count, done }
    })
  }
}
