/** Prometheus metrics. Labels are fixed names from this source code, never an organization, a variable or a path that was sent. */
import cluster from 'node:cluster'
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Registry,
  type Metric,
  type PrometheusContentType,
} from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { CountedLog } from '../../base/log.ts'
import { logMessages } from '../../base/log-messages.ts'
import type { RoundCounts } from '../../consistency/batched-validator.ts'
import { memoizeFor } from '../../concurrency/memoize-for.ts'
import { metricsOfAllWorkers } from './worker-metrics.ts'
import type { OutboxState } from '../../outbox/waiting.ts'
import type { BillingMetrics } from '../../metering/billing/outbox.ts'
import type { LedgerCounts } from '../../metering/ledger.ts'
import type { AuditStreamMetrics } from '../../audit/stream/audit-stream.ts'
import type { HookMetrics } from '../../notifications/hook-outbox.ts'
import type { MailMetrics } from '../../notifications/mail/mail-outbox.ts'
import type { TraceMetrics } from '../../tracing/exporter.ts'
import type { ReplicaMetrics } from '../../replica/shipper.ts'
import type { Observer } from '../funnel.ts'
import { AnswerCounts } from './answers.ts'
import { collectedCounter, collectedGauge } from './collected.ts'
import { machineMetrics } from './machine.ts'
import { outboxMetrics } from './outbox.ts'
import { replicaMetrics } from './replica.ts'

const collectIntervalMs = 1_000
/** Gauges of the library with the names of counters. Each is the sum of another one. */
const sums = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

function eventCounter(ledger: LedgerCounts): Metric {
  return collectedCounter('rollkey_billing_events_total', (add) => {
    for (const outcome of ['counted', 'repeated', 'refused'] as const) add(ledger[outcome], { outcome })
  })
}

function roundCounter(rounds: RoundCounts): Metric {
  return collectedCounter('rollkey_rounds_total', (add) => {
    for (const what of ['rounds', 'requests'] as const) add(rounds[what], { what })
  })
}

function refusalCounter(refused: ReadonlyMap<string, number>): Metric {
  return collectedCounter('rollkey_rate_limited_total', (add) => {
    for (const [limit, count] of refused) add(count, { limit })
  })
}

function signInCounter(signIns: ReadonlyMap<string, number>): Metric {
  return collectedCounter('rollkey_sign_ins_total', (add) => {
    for (const outcome of ['failed', 'delayed', 'busy']) add(0, { method: 'password', outcome })
    for (const [name, count] of signIns) {
      const [method = '', outcome = ''] = name.split(' ')
      add(count, { method, outcome })
    }
  })
}

function hookCounter(hooks: HookMetrics): Metric {
  return collectedCounter('rollkey_hook_messages_total', (add) => {
    add(hooks.delivered, { outcome: 'delivered' })
    add(hooks.failed, { outcome: 'failed' })
    add(hooks.switchedOff, { outcome: 'switched_off' })
  })
}

function mailCounter(mails: MailMetrics): Metric {
  return collectedCounter('rollkey_mails_total', (add) => {
    add(mails.sent, { outcome: 'sent' })
    add(mails.failed, { outcome: 'failed' })
    add(mails.setAside, { outcome: 'set_aside' })
  })
}

function streamCounter(stream: AuditStreamMetrics): Metric {
  return collectedCounter('rollkey_audit_stream_total', (add) => {
    for (const outcome of ['delivered', 'failed'] as const) add(stream[outcome], { outcome })
  })
}

function spanCounter(traces: () => TraceMetrics): Metric {
  return collectedCounter('rollkey_trace_spans_total', (add) => {
    for (const outcome of ['exported', 'dropped'] as const) add(traces()[outcome], { outcome })
  })
}

/** Counts every documented warning and error from 0 on, because Prometheus sees an increase only after a first value. */
function logCounter({ lines }: CountedLog): Metric {
  return collectedCounter('rollkey_log_lines_total', (add) => {
    for (const [message, { level }] of Object.entries(logMessages)) {
      if (level === 'warn' || level === 'error') add(0, { level, message })
    }
    for (const [message, { level, count }] of lines) add(count, { level, message })
  })
}

function clockGauge(database: DatabaseClock): Metric {
  const name = 'rollkey_database_clock_difference_seconds'
  return collectedGauge(name, 'average', (set) => set(database.clockDifferenceMs / 1_000))
}

interface DatabaseClock {
  readonly clockDifferenceMs: number
}

interface MetricsParts {
  readonly ledger: LedgerCounts
  /** Refused requests by the name of the rate limit. */
  readonly refused: ReadonlyMap<string, number>
  /** Validation rounds. Undefined with the embedded store. */
  readonly rounds: RoundCounts | undefined
  /** What is known of the database's clock. Undefined with the embedded store. */
  readonly database: DatabaseClock | undefined
  /** Sign-ins by method and outcome, separated by a space. Undefined with an external provider. */
  readonly signIns: ReadonlyMap<string, number> | undefined
  /** Metrics of outbound billing. Undefined without outbound billing. */
  readonly billing: BillingMetrics | undefined
  /** Messages to webhooks. */
  readonly hooks: HookMetrics
  /** Undefined without mail. */
  readonly mails: MailMetrics | undefined
  /** The audit stream. Undefined if none is set. */
  readonly auditStream: AuditStreamMetrics | undefined
  /** Returns what waits to be sent to other systems. */
  readonly outboxes: () => Promise<readonly OutboxState[]>
  /** What is shipped to the replica. Undefined without one. */
  readonly replica: { readonly metrics: ReplicaMetrics } | undefined
  /** Spans that were recorded. Undefined without traces. */
  readonly traces: { readonly metrics: TraceMetrics } | undefined
  readonly log: CountedLog
  readonly isReady: () => Promise<boolean>
  /** The folder of the embedded store; undefined over PostgreSQL. */
  readonly dataDir: string | undefined
  readonly clock: Clock
}

function metricsOf(parts: MetricsParts): Metric[] {
  const { ledger, refused, rounds, database, billing, signIns, hooks, log, isReady, dataDir, clock } = parts
  const { mails, auditStream, outboxes, replica, traces } = parts
  return [
    collectedGauge('rollkey_ready', 'min', async (set) => set((await isReady()) ? 1 : 0)),
    eventCounter(ledger),
    refusalCounter(refused),
    collectedGauge('rollkey_storage_growth_bytes', 'sum', (set) => set(ledger.settledBytes)),
    hookCounter(hooks),
    logCounter(log),
    ...machineMetrics(dataDir),
    ...outboxMetrics(outboxes, billing, clock),
    ...(mails ? [mailCounter(mails)] : []),
    ...(auditStream ? [streamCounter(auditStream)] : []),
    ...(replica ? replicaMetrics(() => replica.metrics) : []),
    ...(traces ? [spanCounter(() => traces.metrics)] : []),
    ...(rounds ? [roundCounter(rounds)] : []),
    ...(database ? [clockGauge(database)] : []),
    ...(signIns ? [signInCounter(signIns)] : []),
  ]
}

export class Metrics implements Observer {
  readonly #registry = new Registry()
  readonly #answers = new AnswerCounts()
  readonly #all: AggregatorRegistry<PrometheusContentType> | undefined
  readonly #collect: () => Promise<string>

  constructor(parts: MetricsParts) {
    const { clock } = parts
    if (cluster.isWorker) {
      // Creating the aggregator registers the listener through which a worker reports its metrics.
      this.#all = new AggregatorRegistry()
      AggregatorRegistry.setRegistries([this.#registry])
    }
    this.#collect = memoizeFor(
      collectIntervalMs,
      () => clock.now(),
      async () => {
        return this.#all ? metricsOfAllWorkers() : this.#registry.metrics()
      },
    )
    collectDefaultMetrics({ register: this.#registry })
    for (const name of sums) this.#registry.removeSingleMetric(name)
    for (const metric of [this.#answers.counter, this.#answers.histogram, ...metricsOf(parts)]) {
      this.#registry.registerMetric(metric)
    }
  }

  answered(endpoint: string, status: number, milliseconds: number): void {
    this.#answers.add(endpoint, status, milliseconds / 1_000)
  }

  /** Returns the metrics of all workers in the text exposition format. Collects them at most once per second. */
  text(): Promise<string> {
    return this.#collect()
  }

  readonly contentType = this.#registry.contentType
}
