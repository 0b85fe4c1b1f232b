import type { Metric } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { OutboxState } from '../../base/outbox-state.ts'
import { memoizeFor } from '../../concurrency/memoize-for.ts'
import type { OutboxMetrics } from '../../metering/billing/outbox.ts'
import { collectedCounter, collectedGauge } from './collected.ts'

/** Returns the metrics of outbound billing. Open reports are stored in the database, so all nodes report the same number. */
export function outboxMetrics(outbox: OutboxMetrics, clock: Clock): Metric[] {
  const attempts = collectedCounter('rollkey_usage_report_attempts_total', (add) => {
    for (const outcome of ['delivered', 'refused', 'not-received', 'unknown', 'unclear'] as const) {
      add(outbox[outcome], { outcome })
    }
  })
  const open = collectedGauge('rollkey_usage_reports_open', 'max', (set) => {
    set(outbox.pending, { state: 'pending' })
    set(outbox.setAside, { state: 'set_aside' })
  })
  const oldest = collectedGauge('rollkey_usage_report_oldest_pending_seconds', 'max', (set) => {
    set(Math.max(0, clock.now() - (outbox.oldestPendingAtMs ?? Infinity)) / 1_000)
  })
  return [attempts, open, oldest]
}

/** Returns the metrics of what waits to be sent. It is in the database, so all nodes report the same. */
export function waitingMetrics(read: () => Promise<readonly OutboxState[]>, clock: Clock): Metric[] {
  const states = memoizeFor(1_000, () => clock.now(), read)
  const gauge = (name: WaitingName, valueOf: (state: OutboxState) => number): Metric =>
    collectedGauge(name, 'max', async (set) => {
      // While the store does not answer, the other metrics are worth more than an error.
      for (const state of await states().catch(() => [])) set(valueOf(state), { outbox: state.outbox })
    })
  return [
    gauge('rollkey_outbox_waiting', ({ waiting }) => waiting),
    gauge('rollkey_outbox_set_aside', ({ setAside }) => setAside),
    gauge('rollkey_outbox_oldest_seconds', (state) => {
      return Math.max(0, clock.now() - (state.oldestAtMs ?? Infinity)) / 1_000
    }),
  ]
}

type WaitingName = 'rollkey_outbox_waiting' | 'rollkey_outbox_set_aside' | 'rollkey_outbox_oldest_seconds'
