import { StoreUnavailable } from '../base/api-error.ts'
import type { Tx, Value } from './sql.ts'

/**
 * A transaction that takes nothing more after its end. Statements that were sent together with one that has failed go on, and
 * what they send next would be committed on its own, or with the work of somebody else.
 */
export class OpenTx implements Tx {
  readonly #tx: Tx
  readonly #isUnderWay: () => boolean
  #hasEnded = false

  /** `isUnderWay`: of an engine that can end a transaction by itself. */
  constructor(tx: Tx, isUnderWay = (): boolean => true) {
    this.#tx = tx
    this.#isUnderWay = isUnderWay
  }

  async all<Row>(text: string, ...params: Value[]): Promise<Row[]> {
    this.#assertOpen()
    return this.#tx.all(text, ...params)
  }

  async script(text: string): Promise<void> {
    this.#assertOpen()
    await this.#tx.script(text)
  }

  end(): void {
    this.#hasEnded = true
  }

  #assertOpen(): void {
    if (this.#hasEnded || !this.#isUnderWay()) throw new StoreUnavailable('The transaction is over.')
  }
}
