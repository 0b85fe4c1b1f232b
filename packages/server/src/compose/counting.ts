/** Creates the services that count usage against the plan and report it. */
import type { Config } from '../config.ts'
import type { RoundCounts } from '../consistency/batched-validator.ts'
import { singleWriter, type ReadValidator } from '../consistency/read-validator.ts'
import type { Platform } from './platform.ts'
import { memberTable } from '../identity/database.ts'
import { Outbox } from '../metering/billing/outbox.ts'
import type { BillingReceiver } from '../metering/billing/receiver.ts'
import { createReceiver } from '../metering/billing/receiver-url.ts'
import { JournalCounter } from '../metering/journal-counter.ts'
import type { Counter } from '../metering/meter.ts'
import { freePlan, unlimited, type Plan } from '../metering/plans.ts'
import { RoundCounter } from '../metering/round-counter.ts'
import { countingValidator } from '../metering/joined-counting.ts'

export function planOf({ PLAN, FREE_EVALUATIONS, FREE_STORAGE_BYTES }: Config): Plan {
  return PLAN === 'free' ? freePlan(FREE_EVALUATIONS, FREE_STORAGE_BYTES) : unlimited
}

function billingReceiver({ config: { BILLING_URL, BILLING_SECRET }, clock }: Platform): BillingReceiver | undefined {
  if (BILLING_URL === undefined || BILLING_SECRET === undefined) return undefined
  return createReceiver(BILLING_URL, BILLING_SECRET, clock)
}

export async function openOutbox(platform: Platform): Promise<Outbox | undefined> {
  const receiver = billingReceiver(platform)
  const { store, clock, log } = platform
  return receiver && Outbox.open({ sql: store.sql, receiver, clock, log, random: Math.random })
}

/** The way to count evaluations, and to validate reads from memory, for one process or for several nodes. */
export interface Counting {
  readonly counter: Counter
  readonly validator: ReadValidator
  /** Counts of shared statements; undefined if this process is the only writer. */
  readonly rounds: RoundCounts | undefined
}

export function countingOf({ config, store, clock }: Platform): Counting {
  const { sql, journal, shared, watch } = store
  const plan = planOf(config)
  if (!shared) {
    const counter = new JournalCounter({ journal, sql, plan, clock })
    return { counter, validator: singleWriter, rounds: undefined }
  }
  const table = config.IDP_ISSUER === undefined ? memberTable : undefined
  const limit = plan.evaluationsPerMonth
  const validator = countingValidator({ sql: shared, memberTable: table, clock, limit })
  watch.onReplaced(() => validator.databaseReplaced())
  return { counter: new RoundCounter({ validator, sql, plan, clock }), validator, rounds: validator.counts }
}
