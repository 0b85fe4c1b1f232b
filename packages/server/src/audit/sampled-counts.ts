/**
 * Counts in memory what may happen a thousand times a second, so that each kind is recorded at most once a minute. A
 * process that is killed loses the latest counts.
 */
import type { Clock } from '../base/clock.ts'

interface Count<Kind> {
  /** The kind, with the details of the first event that was counted. */
  readonly kind: Kind
  count: number
  /** The earliest time at which it may be recorded. */
  notBeforeMs: number
}

/** A count that is to be recorded now. Two that record at once record each event once. */
export interface DueCount<Kind> {
  readonly kind: Kind
  /** Returns how many events are to be recorded: 0 if they have been taken since. Further ones wait for a minute. */
  readonly take: () => number
  /** Keeps what was taken and could not be recorded. It is due at once. */
  readonly giveBack: (count: number) => void
}

const intervalMs = 60_000
/** Maximum kinds per minute. Further kinds are not recorded. */
const maxCounts = 10_000

export class SampledCounts<Kind> {
  readonly #clock: Clock
  readonly #counts = new Map<string, Count<Kind>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(key: string, kind: Kind): void {
    const known = this.#counts.get(key)
    if (known) known.count++
    else if (this.#counts.size < maxCounts) this.#counts.set(key, { kind, count: 1, notBeforeMs: 0 })
  }

  /** Returns the counts that are due, or all counts if `isLast`. */
  due(isLast: boolean): DueCount<Kind>[] {
    const nowMs = this.#clock.now()
    for (const [key, { count, notBeforeMs }] of this.#counts) {
      if (count === 0 && nowMs >= notBeforeMs) this.#counts.delete(key)
    }
    const due = [...this.#counts.values()].filter(
      ({ count, notBeforeMs }) => count > 0 && (isLast || nowMs >= notBeforeMs),
    )
    return due.map((entry) => ({
      kind: entry.kind,
      take: () => {
        const { count } = entry
        entry.count = 0
        entry.notBeforeMs = this.#clock.now() + intervalMs
        return count
      },
      giveBack: (count) => {
        entry.count += count
        entry.notBeforeMs = 0
      },
    }))
  }
}
