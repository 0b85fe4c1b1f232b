/**
 * The ledger: counters in the same database as the variables. The way to count evaluations depends on whether other
 * processes count too (`journal-counter.ts`, `round-counter.ts`). Storage is reserved inside the transaction of the write,
 * so COMMIT settles a reservation and ROLLBACK releases it.
 */
import type { ReadSet } from '../consistency/read-set.ts'
import type { Tx } from '../storage/sql.ts'
import { addToMeter, type BillingEvent } from '../storage/usage.ts'
import type { ClientKeyQuotas } from './client-key-quotas.ts'
import type { ChargeResult, Counter, Meter, Reservation } from './meter.ts'
import type { Plan } from './plans.ts'

/** Counts since the start, for /metrics. */
export interface LedgerCounts extends Record<ChargeResult, number> {
  settledBytes: number
  releasedBytes: number
}

export class Ledger implements Meter {
  readonly #counter: Counter
  readonly #plan: Plan
  readonly #quotas: Pick<ClientKeyQuotas, 'add'> | undefined
  readonly counts: LedgerCounts = { counted: 0, repeated: 0, refused: 0, settledBytes: 0, releasedBytes: 0 }

  constructor(counter: Counter, plan: Plan, quotas?: Pick<ClientKeyQuotas, 'add'>) {
    this.#counter = counter
    this.#plan = plan
    this.#quotas = quotas
  }

  charge(event: BillingEvent, reads: ReadSet): Promise<ChargeResult> {
    return this.#counter.charge(event, reads).then((charge) => {
      this.counts[charge]++
      if (charge === 'counted') this.#quotas?.add(event.caller)
      return charge
    })
  }

  async reserve(tx: Tx, orgId: string, bytes: number): Promise<Reservation | undefined> {
    const counter = { orgId, meter: 'storage', period: '' } as const
    return (await addToMeter(tx, counter, bytes, this.#plan.storageBytes)) ? { orgId, bytes } : undefined
  }

  settle({ bytes }: Reservation): void {
    this.counts.settledBytes += bytes
  }

  release({ bytes }: Reservation): void {
    this.counts.releasedBytes += bytes
  }
}
