import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Tx, Value } from './sql.ts'

/** Statements that run without a pause, so that few transactions have one. */
const minStatements = 16

/** Runs the statements of a transaction in their order, in slices: one with many statements lets the event loop serve others. */
export class SlicedTx implements Tx {
  readonly #tx: Tx
  readonly #slices: TimeSlices
  readonly #minStatements: number
  #statements = 0
  /** The last statement that waits for a slice. */
  #last: Promise<unknown> | undefined

  constructor(tx: Tx, slices = new TimeSlices(), statements = minStatements) {
    this.#tx = tx
    this.#slices = slices
    this.#minStatements = statements
  }

  all<Row>(text: string, ...params: Value[]): Promise<Row[]> {
    return this.#inSlice(() => this.#tx.all<Row>(text, ...params))
  }

  script(text: string): Promise<void> {
    return this.#inSlice(() => this.#tx.script(text))
  }

  async #inSlice<T>(statement: () => Promise<T>): Promise<T> {
    if (!this.#last && !this.#isSliceOver()) return this.#run(statement)
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
    if (this.#isSliceOver()) {
      await this.#slices.next()
      this.#statements = 0
    }
    return this.#run(statement)
  }

  #run<T>(statement: () => Promise<T>): Promise<T> {
    this.#statements++
    return statement()
  }

  #isSliceOver(): boolean {
    return this.#statements >= this.#minStatements && this.#slices.isOver
  }
}
