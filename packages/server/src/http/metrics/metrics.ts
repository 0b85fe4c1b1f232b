/** Prometheus metrics. Labels are fixed names from this source code, never an organization, a variable or a path that was sent. */
import cluster from 'node:cluster'
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Registry,
  type Metric,
  type PrometheusContentType,
} from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import { memoizeFor } from '../../concurrency/memoize-for.ts'
import { metricsOfAllWorkers } from './worker-metrics.ts'
import type { OutboxMetrics } from '../../metering/billing/outbox.ts'
import type { LedgerCounts } from '../../metering/ledger.ts'
import type { Observer } from '../funnel.ts'

const collectEveryMs = 1_000
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Counts of one endpoint, in plain memory so that the hot path does not pay for labels. */
class Counts {
  readonly byStatus = new Map<number, number>()
  /** Answers per bucket. A bucket counts answers up to its bound and above the previous bound. The last has no upper bound. */
  readonly buckets = Array.from({ length: secondsBuckets.length + 1 }, () => 0)
  seconds = 0

  add(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    let bucket = 0
    while (seconds > (secondsBuckets[bucket] ?? Infinity)) bucket++
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    this.seconds += seconds
  }
}

type Answers = Map<string, Counts>

function counterOfAnswers(answers: Answers): Counter<'endpoint' | 'status'> {
  return new Counter({
    name: 'rollkey_requests_total',
    help: 'Answers by endpoint and status',
    labelNames: ['endpoint', 'status'],
    registers: [],
    collect() {
      this.reset()
      for (const [endpoint, { byStatus }] of answers) {
        for (const [status, count] of byStatus) this.inc({ endpoint, status }, count)
      }
    },
  })
}

/** Returns a histogram in the form that the registry expects of a metric. */
function histogramOfDurations(answers: Answers): Metric {
  const name = 'rollkey_request_duration_seconds'
  const valuesOf = ([endpoint, { buckets, seconds }]: [string, Counts]): object[] => {
    let count = 0
    const cumulative = buckets.map((inBucket, index) => {
      count += inBucket
      return { metricName: `${name}_bucket`, labels: { endpoint, le: secondsBuckets[index] ?? '+Inf' }, value: count }
    })
    const total = { metricName: `${name}_count`, labels: { endpoint }, value: count }
    return [...cumulative, { metricName: `${name}_sum`, labels: { endpoint }, value: seconds }, total]
  }
  const help = 'Time from the request head to the answer, by endpoint'
  const get = (): object => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...answers].flatMap(valuesOf),
  })
  return { name, get } as unknown as Metric
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

/** Totals of validation rounds since the start. */
type RoundCounts = Readonly<Record<'rounds' | 'requests', number>>

function counterOfRounds(rounds: RoundCounts): Counter<'what'> {
  return new Counter({
    name: 'rollkey_rounds_total',
    help: 'Database statements that validate read sets and count events (rounds), and the requests that shared them (requests)',
    labelNames: ['what'],
    registers: [],
    collect() {
      this.reset()
      for (const what of ['rounds', 'requests'] as const) this.inc({ what }, rounds[what])
    },
  })
}

function counterOfRefusals(refused: ReadonlyMap<string, number>): Counter<'limit'> {
  return new Counter({
    name: 'rollkey_rate_limited_total',
    help: 'Requests refused by a rate limit, by limit',
    labelNames: ['limit'],
    registers: [],
    collect() {
      this.reset()
      for (const [limit, count] of refused) this.inc({ limit }, count)
    },
  })
}

function counterOfSignIns(signIns: ReadonlyMap<string, number>): Counter<'method' | 'outcome'> {
  return new Counter({
    name: 'rollkey_sign_ins_total',
    help: 'Sign-ins at the embedded provider by method (confirmation: a signed-in person enters the password again) and outcome (delayed: too many wrong passwords for the account; busy: too many passwords are being hashed)',
    labelNames: ['method', 'outcome'],
    registers: [],
    collect() {
      this.reset()
      for (const [name, count] of signIns) {
        const [method = '', outcome = ''] = name.split(' ')
        this.inc({ method, outcome }, count)
      }
    },
  })
}

function gaugeOfStorage(ledger: LedgerCounts): Gauge {
  return new Gauge({
    name: 'rollkey_storage_growth_bytes',
    help: 'Net billed bytes added by writes since the start',
    registers: [],
    collect() {
      this.set(ledger.settledBytes)
    },
  })
}

/** Returns the metrics of outbound billing. Open reports are stored in the database, so all nodes report the same number. */
function metricsOfOutbox(figures: OutboxMetrics, clock: Clock): Metric[] {
  const attempts = new Counter({
    name: 'rollkey_usage_report_attempts_total',
    help: 'Usage reports to the external billing system by outcome: delivered, refused (set aside), not-received and unknown (sent again), unclear (set aside)',
    labelNames: ['outcome'],
    registers: [],
    collect() {
      this.reset()
      for (const outcome of ['delivered', 'refused', 'not-received', 'unknown', 'unclear'] as const) {
        this.inc({ outcome }, figures[outcome])
      }
    },
  })
  const open = new Gauge({
    name: 'rollkey_usage_reports_open',
    help: 'Usage reports that wait for delivery (pending) or for an operator (set_aside)',
    labelNames: ['state'],
    registers: [],
    aggregator: 'max',
    collect() {
      this.set({ state: 'pending' }, figures.pending)
      this.set({ state: 'set_aside' }, figures.setAside)
    },
  })
  const oldest = new Gauge({
    name: 'rollkey_usage_report_oldest_pending_seconds',
    help: 'Age of the oldest usage report that waits for delivery; 0 if there is none',
    registers: [],
    aggregator: 'max',
    collect() {
      this.set(Math.max(0, clock.now() - (figures.oldestPendingAtMs ?? Infinity)) / 1_000)
    },
  })
  return [attempts, open, oldest]
}

interface MetricsParts {
  readonly ledger: LedgerCounts
  /** Refused requests by the name of the rate limit. */
  readonly refused: ReadonlyMap<string, number>
  /** Validation rounds. Undefined with the embedded store. */
  readonly rounds: RoundCounts | undefined
  /** Sign-ins by method and outcome, separated by a space. Undefined with an external provider. */
  readonly signIns: ReadonlyMap<string, number> | undefined
  /** Metrics of outbound billing. Undefined without outbound billing. */
  readonly outbox: OutboxMetrics | undefined
  readonly clock: Clock
}

export class Metrics implements Observer {
  readonly #registry = new Registry()
  readonly #answers: Answers = new Map()
  readonly #all: AggregatorRegistry<PrometheusContentType> | undefined
  readonly #collect: () => Promise<string>

  constructor({ ledger, refused, rounds, outbox, signIns, clock }: MetricsParts) {
    if (cluster.isWorker) {
      // Creating the aggregator registers the listener through which a worker reports its metrics.
      this.#all = new AggregatorRegistry()
      AggregatorRegistry.setRegistries([this.#registry])
    }
    this.#collect = memoizeFor(
      collectEveryMs,
      () => clock.now(),
      async () => {
        return this.#all ? metricsOfAllWorkers() : this.#registry.metrics()
      },
    )
    collectDefaultMetrics({ register: this.#registry })
    this.#registry.registerMetric(counterOfAnswers(this.#answers))
    this.#registry.registerMetric(histogramOfDurations(this.#answers))
    this.#registry.registerMetric(counterOfEvents(ledger))
    this.#registry.registerMetric(counterOfRefusals(refused))
    this.#registry.registerMetric(gaugeOfStorage(ledger))
    if (rounds) this.#registry.registerMetric(counterOfRounds(rounds))
    if (signIns) this.#registry.registerMetric(counterOfSignIns(signIns))
    if (outbox) for (const metric of metricsOfOutbox(outbox, clock)) this.#registry.registerMetric(metric)
  }

  answered(endpoint: string, status: number, milliseconds: number): void {
    let counts = this.#answers.get(endpoint)
    if (!counts) this.#answers.set(endpoint, (counts = new Counts()))
    counts.add(status, milliseconds / 1_000)
  }

  /** Returns the metrics of all workers in the text exposition format. Collects them at most once per second. */
  text(): Promise<string> {
    return this.#collect()
  }

  readonly contentType = this.#registry.contentType
}
