import type { Metric } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { OutboxState } from '../../outbox/waiting.ts'
import { memoizeFor } from '../../concurrency/memoize-for.ts'
import type { BillingMetrics } from '../../metering/billing/outbox.ts'
import { collectedCounter, collectedGauge } from './collected.ts'

/**
 * Returns the metrics of what waits to be sent, and those of outbound billing if there is one. What waits is in the database, so all nodes
 * report the same.
 */
export function outboxMetrics(
  read: () => Promise<readonly OutboxState[]>,
  billing: BillingMetrics | undefined,
  clock: Clock,
): Metric[] {
  const states = memoizeFor(1_000, () => clock.now(), read)
  const gauge = (name: OutboxGauge, set: (set: SetGauge, state: OutboxState) => void, only?: string): Metric =>
    collectedGauge(name, 'max', async (setValue) => {
      // While the store does not answer, the other metrics are worth more than an error.
      for (const state of await states().catch(() => []))
        if (only === undefined || state.outbox === only) set(setValue, state)
    })
  const secondsOf = ({ oldestAtMs = Infinity }: OutboxState): number => Math.max(0, clock.now() - oldestAtMs) / 1_000
  const waiting = [
    gauge('rollkey_outbox_waiting', (set, { outbox, waiting: count }) => set(count, { outbox })),
    gauge('rollkey_outbox_set_aside', (set, { outbox, setAside }) => set(setAside, { outbox })),
    gauge('rollkey_outbox_oldest_seconds', (set, state) => set(secondsOf(state), { outbox: state.outbox })),
  ]
  if (!billing) return waiting
  const attempts = collectedCounter('rollkey_usage_report_attempts_total', (add) => {
    for (const outcome of ['delivered', 'refused', 'not-received', 'unknown', 'unclear'] as const)
      add(billing[outcome], { outcome })
  })
  const open = gauge(
    'rollkey_usage_reports_open',
    (set, { waiting: pending, setAside }) => {
      set(pending, { state: 'pending' })
      set(setAside, { state: 'set_aside' })
    },
    'billing',
  )
  const oldest = gauge('rollkey_usage_report_oldest_pending_seconds', (set, state) => set(secondsOf(state)), 'billing')
  return [...waiting, attempts, open, oldest]
}

type SetGauge = (value: number, labels?: Record<string, string>) => void
type OutboxGauge =
  | 'rollkey_outbox_waiting'
  | 'rollkey_outbox_set_aside'
  | 'rollkey_outbox_oldest_seconds'
  | 'rollkey_usage_reports_open'
  | 'rollkey_usage_report_oldest_pending_seconds'
