/** Prometheus metrics. Labels are fixed names from this source code, never an organization, a variable or a path that was sent. */
import cluster from 'node:cluster'
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Gauge,
  Registry,
  type Counter,
  type PrometheusContentType,
} from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { RoundCounts } from '../../consistency/batched-validator.ts'
import { memoizeFor } from '../../concurrency/memoize-for.ts'
import { metricsOfAllWorkers } from './worker-metrics.ts'
import type { OutboxMetrics } from '../../metering/billing/outbox.ts'
import type { LedgerCounts } from '../../metering/ledger.ts'
import type { AuditStreamMetrics } from '../../audit/stream/audit-stream.ts'
import type { HookMetrics } from '../../notifications/hook-worker.ts'
import type { MailMetrics } from '../../notifications/mail/mail-worker.ts'
import type { Observer } from '../funnel.ts'
import { AnswerCounts } from './answers.ts'
import { collectedCounter } from './counter.ts'
import { outboxMetrics, waitingMetrics, type OutboxState } from './outbox.ts'
import { replicaMetrics, type ReplicaCounts } from './replica.ts'

const collectIntervalMs = 1_000
/** Gauges of the library with the names of counters. Each is the sum of another one. */
const sums = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

function eventCounter(ledger: LedgerCounts): Counter<'outcome'> {
  const help = 'Billing events by outcome: counted, repeated (request key known), refused (over the limit)'
  return collectedCounter({ name: 'rollkey_billing_events_total', help, labelNames: ['outcome'] }, (add) => {
    for (const outcome of ['counted', 'repeated', 'refused'] as const) add(ledger[outcome], { outcome })
  })
}

function roundCounter(rounds: RoundCounts): Counter<'what'> {
  const help =
    'Database statements that validate read sets and count events (rounds), and the requests that shared them (requests)'
  return collectedCounter({ name: 'rollkey_rounds_total', help, labelNames: ['what'] }, (add) => {
    for (const what of ['rounds', 'requests'] as const) add(rounds[what], { what })
  })
}

function refusalCounter(refused: ReadonlyMap<string, number>): Counter<'limit'> {
  const help = 'Requests refused by a rate limit, by limit'
  return collectedCounter({ name: 'rollkey_rate_limited_total', help, labelNames: ['limit'] }, (add) => {
    for (const [limit, count] of refused) add(count, { limit })
  })
}

function signInCounter(signIns: ReadonlyMap<string, number>): Counter<'method' | 'outcome'> {
  const help =
    'Sign-ins at the embedded provider by method (confirmation: a signed-in person enters the password again) and outcome (delayed: too many wrong passwords for the account; busy: too many passwords are being hashed)'
  return collectedCounter({ name: 'rollkey_sign_ins_total', help, labelNames: ['method', 'outcome'] }, (add) => {
    for (const [name, count] of signIns) {
      const [method = '', outcome = ''] = name.split(' ')
      add(count, { method, outcome })
    }
  })
}

function hookCounter(hooks: HookMetrics): Counter<'outcome'> {
  const help =
    'Messages to webhooks by outcome: delivered, failed (sent again), switched_off (webhooks that failed for three days)'
  return collectedCounter({ name: 'rollkey_hook_messages_total', help, labelNames: ['outcome'] }, (add) => {
    add(hooks.delivered, { outcome: 'delivered' })
    add(hooks.failed, { outcome: 'failed' })
    add(hooks.switchedOff, { outcome: 'switched_off' })
  })
}

function mailCounter(mails: MailMetrics): Counter<'outcome'> {
  const help = 'Mails by outcome: sent, failed (sent again), set_aside (not sent again)'
  return collectedCounter({ name: 'rollkey_mails_total', help, labelNames: ['outcome'] }, (add) => {
    add(mails.sent, { outcome: 'sent' })
    add(mails.failed, { outcome: 'failed' })
    add(mails.setAside, { outcome: 'set_aside' })
  })
}

function streamCounter(stream: AuditStreamMetrics): Counter<'outcome'> {
  const help =
    'Audit stream: entries and checkpoints that were delivered, and batches of them that failed and are sent again'
  return collectedCounter({ name: 'rollkey_audit_stream_total', help, labelNames: ['outcome'] }, (add) => {
    for (const outcome of ['delivered', 'failed'] as const) add(stream[outcome], { outcome })
  })
}

function storageGauge(ledger: LedgerCounts): Gauge {
  return new Gauge({
    name: 'rollkey_storage_growth_bytes',
    help: 'Net billed bytes added by writes since the start',
    registers: [],
    collect() {
      this.set(ledger.settledBytes)
    },
  })
}

function clockGauge(database: DatabaseClock): Gauge {
  return new Gauge({
    name: 'rollkey_database_clock_difference_seconds',
    help: 'How far the clock of this node is ahead of the clock of the database, by the latest new connection',
    aggregator: 'average',
    registers: [],
    collect() {
      this.set(database.clockDifferenceMs / 1_000)
    },
  })
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
  readonly outbox: OutboxMetrics | undefined
  /** Messages to webhooks. */
  readonly hooks: HookMetrics
  /** Undefined without mail. */
  readonly mails: MailMetrics | undefined
  /** The audit stream. Undefined if none is set. */
  readonly auditStream: AuditStreamMetrics | undefined
  /** Returns what waits to be sent to other systems. */
  readonly outboxes: () => Promise<readonly OutboxState[]>
  /** What is shipped to the replica. Undefined without one. */
  readonly replica: { readonly metrics: ReplicaCounts } | undefined
  readonly clock: Clock
}

export class Metrics implements Observer {
  readonly #registry = new Registry()
  readonly #answers = new AnswerCounts()
  readonly #all: AggregatorRegistry<PrometheusContentType> | undefined
  readonly #collect: () => Promise<string>

  constructor({
    ledger,
    refused,
    rounds,
    database,
    outbox,
    signIns,
    hooks,
    mails,
    auditStream,
    outboxes,
    replica,
    clock,
  }: MetricsParts) {
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
    this.#registry.registerMetric(this.#answers.counter)
    this.#registry.registerMetric(this.#answers.histogram)
    this.#registry.registerMetric(eventCounter(ledger))
    this.#registry.registerMetric(refusalCounter(refused))
    this.#registry.registerMetric(storageGauge(ledger))
    this.#registry.registerMetric(hookCounter(hooks))
    if (mails) this.#registry.registerMetric(mailCounter(mails))
    if (auditStream) this.#registry.registerMetric(streamCounter(auditStream))
    for (const metric of waitingMetrics(outboxes, clock)) this.#registry.registerMetric(metric)
    if (rounds) this.#registry.registerMetric(roundCounter(rounds))
    if (database) this.#registry.registerMetric(clockGauge(database))
    if (signIns) this.#registry.registerMetric(signInCounter(signIns))
    if (replica) for (const metric of replicaMetrics(() => replica.metrics)) this.#registry.registerMetric(metric)
    if (outbox) for (const metric of outboxMetrics(outbox, clock)) this.#registry.registerMetric(metric)
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
