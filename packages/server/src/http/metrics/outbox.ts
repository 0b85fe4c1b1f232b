import { Gauge, type Metric } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { OutboxMetrics } from '../../metering/billing/outbox.ts'
import { collectedCounter } from './counter.ts'

/** Returns the metrics of outbound billing. Open reports are stored in the database, so all nodes report the same number. */
export function outboxMetrics(outbox: OutboxMetrics, clock: Clock): Metric[] {
  const attempts = collectedCounter(
    {
      name: 'rollkey_usage_report_attempts_total',
      help: 'Usage reports to the external billing system by outcome: delivered, refused (set aside), not-received and unknown (sent again), unclear (set aside)',
      labelNames: ['outcome'],
    },
    (add) => {
      for (const outcome of ['delivered', 'refused', 'not-received', 'unknown', 'unclear'] as const) {
        add(outbox[outcome], { outcome })
      }
    },
  )
  const open = new Gauge({
    name: 'rollkey_usage_reports_open',
    help: 'Usage reports that wait for delivery (pending) or for an operator (set_aside)',
    labelNames: ['state'],
    registers: [],
    aggregator: 'max',
    collect() {
      this.set({ state: 'pending' }, outbox.pending)
      this.set({ state: 'set_aside' }, outbox.setAside)
    },
  })
  const oldest = new Gauge({
    name: 'rollkey_usage_report_oldest_pending_seconds',
    help: 'Age of the oldest usage report that waits for delivery; 0 if there is none',
    registers: [],
    aggregator: 'max',
    collect() {
      this.set(Math.max(0, clock.now() - (outbox.oldestPendingAtMs ?? Infinity)) / 1_000)
    },
  })
  return [attempts, open, oldest]
}
