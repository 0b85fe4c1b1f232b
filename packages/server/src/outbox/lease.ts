/** What a node stores while it has leased a row of an outbox. */
import { backoffMs, type BackoffLimits } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import { settleRow, type LeasedRow, type OutboxTable } from '../storage/leases.ts'
import type { Sql, Tx, Value } from '../storage/sql.ts'

export interface LeaseParts {
  readonly sql: Sql
  readonly clock: Clock
  /** Returns a random number from 0 to 1, which varies how long a failure waits. */
  readonly random: () => number
}

/** How an outbox leases. */
export interface LeaseRules {
  readonly table: OutboxTable
  /** How long a lease lasts: several times what sending takes at most. */
  readonly leaseMs: number
  readonly backoff: BackoffLimits
}

/** A row that counts its failures. */
interface FailingRow extends LeasedRow {
  readonly attempts: number
  readonly failing_since_ms: number | null
}

/** What the receiver's acceptance changes in a row. */
export const accepted = { attempts: 0, failing_since_ms: null, failure: null } as const

/** Returns what a failure changes in a row. */
export function failed(
  { attempts }: Pick<FailingRow, 'attempts'>,
  failure: string,
  { clock, random }: LeaseParts,
  { backoff }: LeaseRules,
) {
  return { attempts: attempts + 1, failure, next_attempt_at_ms: clock.now() + backoffMs(attempts, random(), backoff) }
}

/** The lease of a row whose messages are sent one after the other. */
export class Lease<Row extends FailingRow> {
  readonly #parts: LeaseParts
  readonly #rules: LeaseRules
  /** The row as it is stored. */
  row: Row

  constructor(parts: LeaseParts, rules: LeaseRules, row: Row) {
    this.#parts = parts
    this.#rules = rules
    this.row = row
  }

  /** When the lease began. */
  get beganAtMs(): number {
    return this.row.next_attempt_at_ms - this.#rules.leaseMs
  }

  /**
   * Stores changes, and what `also` stores in the same transaction. `endsAtMs`: when the row may be leased again, by default after another
   * lease. Returns false, and stores nothing, if the lease has ended.
   */
  async settle(
    changes: Readonly<Record<string, Value>>,
    endsAtMs?: number,
    also?: (tx: Tx) => Promise<unknown>,
  ): Promise<boolean> {
    const { sql, clock } = this.#parts
    const { table, leaseMs } = this.#rules
    const stored = { next_attempt_at_ms: endsAtMs ?? clock.now() + leaseMs, ...changes }
    const isOurs = await sql.tx(async (tx) => {
      if (!(await settleRow(tx, table, this.row, stored))) return false
      await also?.(tx)
      return true
    }, 'process')
    if (isOurs) this.row = { ...this.row, ...stored }
    return isOurs
  }

  /** Stores that the receiver did not accept a message, and when it is sent again. Returns false if the lease has ended. */
  fail(failure: string, changes: Readonly<Record<string, Value>> = {}, also?: (tx: Tx) => Promise<unknown>) {
    const sinceMs = this.row.failing_since_ms ?? this.#parts.clock.now()
    const failing = { ...failed(this.row, failure, this.#parts, this.#rules), failing_since_ms: sinceMs }
    return this.settle({ ...failing, ...changes }, undefined, also)
  }
}
