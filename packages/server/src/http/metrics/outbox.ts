import { Gauge, type Metric } from 'prom-client'
import { memoizeFor } from '../../concurrency/memoize-for.ts'
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

/** What waits to be sent to one kind of receiver. */
export interface OutboxState {
  readonly outbox: string
  readonly waiting: number
  readonly setAside: number
  readonly oldestAtMs: number | undefined
}

/** Returns the metrics of what waits to be sent. It is in the database, so all nodes report the same. */
export function waitingMetrics(read: () => Promise<readonly OutboxState[]>, clock: Clock): Metric[] {
  const gauge = (name: string, help: string, valueOf: (state: OutboxState) => number): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['outbox'],
      registers: [],
      aggregator: 'max',
      async collect() {
        // While the store does not answer, the other metrics are worth more than an error.
        for (const state of await states().catch(() => [])) this.set({ outbox: state.outbox }, valueOf(state))
      },
    })
  const states = memoizeFor(1_000, () => clock.now(), read)
  return [
    gauge('rollkey_outbox_waiting', 'Messages that wait to be sent', ({ waiting }) => waiting),
    gauge('rollkey_outbox_set_aside', 'Reports and webhooks that wait for a person', ({ setAside }) => setAside),
    gauge('rollkey_outbox_oldest_seconds', 'Age of the oldest message that waits; 0 if there is none', (state) => {
      return Math.max(0, clock.now() - (state.oldestAtMs ?? Infinity)) / 1_000
    }),
  ]
}
