import { StoreUnavailable } from '../base/api-error.ts'
import type { Tx, Value } from './sql.ts'

/**
 * A transaction that refuses statements after its end. When one of several concurrent statements fails, the others continue.
 * Their next statements would otherwise be committed alone, or together with another transaction.
 */
export class OpenTx implements Tx {
  readonly #tx: Tx
  readonly #isOpenInEngine: () => boolean
  #hasEnded = false

  /** `isUnderWay` returns whether the engine still has the transaction open, for engines that can end it themselves. */
  constructor(tx: Tx, isOpenInEngine = (): boolean => true) {
    this.#tx = tx
    this.#isOpenInEngine = isOpenInEngine
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
    if (this.#hasEnded || !this.#isOpenInEngine()) throw new StoreUnavailable('The transaction has ended.')
  }
}
