/** Results that stay the same until a stage changes. */
import type { LogicalClock } from '../consistency/read-validator.ts'

interface Result<Value> {
  readonly revisions: string
  readonly value: Value
}

/** A stage at a revision. */
interface RevisedStage {
  readonly stage_id: string
  readonly revision: number
}

/** The latest results by what they are about, each with the revisions of the stages that it was computed from. */
export class RevisionCache<Value> {
  /** Those used last are at the end. */
  readonly #results = new Map<string, Result<Value>>()
  readonly #maxResults: number
  readonly #logicalClock: LogicalClock

  constructor(maxResults: number, logicalClock: LogicalClock) {
    this.#maxResults = maxResults
    this.#logicalClock = logicalClock
  }

  /**
   * Returns the result about `id`, which it computes if one of the stages has changed. The revisions must have been read before
   * what `compute` reads, so that this is at least as new.
   */
  async result(id: string, stages: readonly RevisedStage[], compute: () => Promise<Value>): Promise<Value> {
    // Another database may have given a revision to something else.
    const revisions = [this.#logicalClock.voidUpTo, ...stages.map((row) => `${row.stage_id} ${row.revision}`)].join()
    const last = this.#results.get(id)
    const value = last?.revisions === revisions ? last.value : await compute()
    this.#results.delete(id)
    this.#results.set(id, { revisions, value })
    const [oldest] = this.#results.keys()
    if (oldest !== undefined && this.#results.size > this.#maxResults) this.#results.delete(oldest)
    return value
  }
}
