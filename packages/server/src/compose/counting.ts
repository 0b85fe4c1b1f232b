/** Creates the services that count usage against the plan and report it. */
import type { Config } from '../config.ts'
import type { RoundCounts } from '../consistency/batched-validator.ts'
import { singleWriter, type ReadValidator } from '../consistency/read-validator.ts'
import type { Platform } from './platform.ts'
import { memberTable } from '../identity/database.ts'
import { BillingOutbox } from '../metering/billing/outbox.ts'
import type { BillingReceiver } from '../metering/billing/receiver.ts'
import { createReceiver } from '../metering/billing/receiver-url.ts'
import { JournalCounter } from '../metering/journal-counter.ts'
import type { Counter } from '../metering/meter.ts'
import { NodeRows } from '../metering/node-rows.ts'
import type { PendingUsage } from '../metering/pending-usage.ts'
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

export async function openBilling(platform: Platform, pending: PendingUsage): Promise<BillingOutbox | undefined> {
  const receiver = billingReceiver(platform)
  const { store, clock, log } = platform
  return receiver && BillingOutbox.open({ sql: store.sql, pending, receiver, clock, log, random: Math.random })
}

/** The way to count evaluations, and to validate reads from memory, for one process or for several nodes. */
export interface Counting {
  readonly counter: Counter
  readonly pending: PendingUsage
  /** The rows of this node; undefined if this process is the only writer. */
  readonly nodeRows: NodeRows | undefined
  readonly validator: ReadValidator
  /** Counts of shared statements; undefined if this process is the only writer. */
  readonly rounds: RoundCounts | undefined
}

export function countingOf({ config, store, clock, log }: Platform): Counting {
  const { sql, journal, shared, watch } = store
  const plan = planOf(config)
  if (!shared) {
    const counter = new JournalCounter({ journal, sql, plan, clock })
    return { counter, pending: journal, nodeRows: undefined, validator: singleWriter, rounds: undefined }
  }
  const table = config.IDP_ISSUER === undefined ? memberTable : undefined
  const rows = new NodeRows({ sql, plan, clock, log })
  const validator = countingValidator({ sql: shared, memberTable: table, clock, rows })
  watch.onReplaced(() => validator.databaseReplaced())
  const counter = new RoundCounter({ validator, sql, rows, clock })
  return { counter, pending: rows, nodeRows: rows, validator, rounds: validator.counts }
}
