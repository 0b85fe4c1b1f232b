/** Creates the services that count usage against the plan and report it. */
import type { Config } from '../config.ts'
import type { Platform } from './platform.ts'
import { memberTable } from '../identity/database.ts'
import { Outbox } from '../metering/billing/outbox.ts'
import type { BillingReceiver } from '../metering/billing/receiver.ts'
import { receiverOfUrl } from '../metering/billing/receiver-url.ts'
import { JournalCounter } from '../metering/journal-counter.ts'
import type { Counter } from '../metering/meter.ts'
import { freePlan, unlimited, type Plan } from '../metering/plans.ts'
import { RoundCounter } from '../metering/round-counter.ts'
import { PostgresRounds, type SharedRounds } from '../metering/rounds.ts'

export function planOf({ PLAN, FREE_EVALUATIONS, FREE_STORAGE_BYTES }: Config): Plan {
  return PLAN === 'free' ? freePlan(FREE_EVALUATIONS, FREE_STORAGE_BYTES) : unlimited
}

function billingReceiver({ config: { BILLING_URL, BILLING_SECRET }, clock }: Platform): BillingReceiver | undefined {
  if (BILLING_URL === undefined || BILLING_SECRET === undefined) return undefined
  return receiverOfUrl(BILLING_URL, BILLING_SECRET, clock)
}

export async function openOutbox(platform: Platform): Promise<Outbox | undefined> {
  const receiver = billingReceiver(platform)
  const { store, clock, log } = platform
  return receiver && Outbox.open({ sql: store.sql, receiver, clock, log, random: Math.random })
}

/** Creates the counter of evaluations, for one process or several nodes. For several, it also validates read sets. */
export function countingOf({ config, store, clock }: Platform): { rounds: SharedRounds | undefined; counter: Counter } {
  const { sql, journal, shared } = store
  const plan = planOf(config)
  if (!shared) return { rounds: undefined, counter: new JournalCounter({ journal, sql, plan, clock }) }
  const table = config.IDP_ISSUER === undefined ? memberTable : undefined
  const rounds = new PostgresRounds({ sql: shared, clock, limit: plan.evaluationsPerMonth, memberTable: table })
  return { rounds, counter: new RoundCounter({ rounds, sql, plan, clock }) }
}
