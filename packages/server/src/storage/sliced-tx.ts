import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Tx, Value } from './sql.ts'

/** Runs the statements of a transaction in their order, in slices: a long one lets the event loop serve others. */
export class SlicedTx implements Tx {
  readonly #tx: Tx
  readonly #slices: TimeSlices
  /** The last statement that waits for a slice. */
  #last: Promise<unknown> | undefined

  constructor(tx: Tx, slices = new TimeSlices()) {
    this.#tx = tx
    this.#slices = slices
  }

  all<Row>(text: string, ...params: Value[]): Promise<Row[]> {
    return this.#inSlice(() => this.#tx.all<Row>(text, ...params))
  }

  script(text: string): Promise<void> {
    return this.#inSlice(() => this.#tx.script(text))
  }

  async #inSlice<T>(statement: () => Promise<T>): Promise<T> {
    if (!this.#last && !this.#slices.isOver) return statement()
    const current = this.#inNextSlice(this.#last, statement)
    this.#last = current
    try {
      return await current
    } finally {
      if (this.#last === current) this.#last = undefined
    }
  }

  async #inNextSlice<T>(previous: Promise<unknown> | undefined, statement: () => Promise<T>): Promise<T> {
    // Its failure is an answer to its sender.
    await previous?.catch(() => {})
    if (this.#slices.isOver) await this.#slices.next()
    return statement()
  }
}
