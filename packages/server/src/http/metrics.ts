/** Figures for Prometheus. Labels are names of this source only: no organization, no variable, no path as it was sent. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { LedgerCounts } from '../metering/ledger.ts'
import type { Observer } from './funnel.ts'

const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

type Answers = Map<string, Map<number, number>>

function counterOfAnswers(answers: Answers): Counter<'endpoint' | 'status'> {
  return new Counter({
    name: 'rollkey_requests_total',
    help: 'Answers by endpoint and status',
    labelNames: ['endpoint', 'status'],
    registers: [],
    collect() {
      this.reset()
      for (const [endpoint, byStatus] of answers) {
        for (const [status, count] of byStatus) this.inc({ endpoint, status }, count)
      }
    },
  })
}

function counterOfEvents(ledger: LedgerCounts): Counter<'outcome'> {
  return new Counter({
    name: 'rollkey_billing_events_total',
    help: 'Billing events by outcome: counted, repeated (request key known), refused (over the limit)',
    labelNames: ['outcome'],
    registers: [],
    collect() {
      this.reset()
      for (const outcome of ['counted', 'repeated', 'refused'] as const) this.inc({ outcome }, ledger[outcome])
    },
  })
}

function gaugeOfStorage(ledger: LedgerCounts): Gauge {
  return new Gauge({
    name: 'rollkey_storage_growth_bytes',
    help: 'Billed bytes that writes have added since the start, net',
    registers: [],
    collect() {
      this.set(ledger.settledBytes)
    },
  })
}

export class Metrics implements Observer {
  readonly #registry = new Registry()
  /** Counted in plain memory and handed over when asked for: the hot path does not pay for labels. */
  readonly #answers: Answers = new Map()
  readonly #durations = new Map<string, Histogram.Internal<'endpoint'>>()
  readonly #duration = new Histogram({
    name: 'rollkey_request_duration_seconds',
    help: 'Time from the request head to the answer, by endpoint',
    labelNames: ['endpoint'],
    buckets: secondsBuckets,
    registers: [this.#registry],
  })

  constructor(ledger: LedgerCounts) {
    collectDefaultMetrics({ register: this.#registry })
    this.#registry.registerMetric(counterOfAnswers(this.#answers))
    this.#registry.registerMetric(counterOfEvents(ledger))
    this.#registry.registerMetric(gaugeOfStorage(ledger))
  }

  answered(endpoint: string, status: number, milliseconds: number): void {
    let byStatus = this.#answers.get(endpoint)
    if (!byStatus) this.#answers.set(endpoint, (byStatus = new Map()))
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    let duration = this.#durations.get(endpoint)
    if (!duration) this.#durations.set(endpoint, (duration = this.#duration.labels(endpoint)))
    duration.observe(milliseconds / 1_000)
  }

  /** The text exposition format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  readonly contentType = this.#registry.contentType
}
