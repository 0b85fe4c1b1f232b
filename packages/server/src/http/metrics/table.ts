/**
 * The metrics of the service, besides those of the process that the library collects. What is generated from the table or checked with
 * it: docs/metrics.md, the alert rules and the dashboard in deploy/.
 */
interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** When it is there; absent: always. */
  readonly where?: string
}

export const metricRows = {
  rollkey_ready: {
    type: 'gauge',
    help: 'Whether the store takes what evaluations and writes store (1) or not (0), as /readyz answers',
    labels: [],
  },
  rollkey_requests_total: {
    type: 'counter',
    help: 'Answers by endpoint and status; 499: the client had left',
    labels: ['endpoint', 'status'],
  },
  rollkey_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the request head to the answer, by endpoint',
    labels: ['endpoint'],
  },
  rollkey_billing_events_total: {
    type: 'counter',
    help: 'Billing events by outcome: counted, repeated (request key known), refused (over the limit)',
    labels: ['outcome'],
  },
  rollkey_rate_limited_total: {
    type: 'counter',
    help: 'Requests refused by a rate limit, by limit',
    labels: ['limit'],
  },
  rollkey_storage_growth_bytes: {
    type: 'gauge',
    help: 'Net billed bytes added by writes since the start',
    labels: [],
  },
  rollkey_hook_messages_total: {
    type: 'counter',
    help: 'Messages to webhooks by outcome: delivered, failed (sent again), switched_off (webhooks that failed for three days)',
    labels: ['outcome'],
  },
  rollkey_mails_total: {
    type: 'counter',
    help: 'Mails by outcome: sent, failed (sent again), set_aside (not sent again)',
    labels: ['outcome'],
    where: 'ROLLKEY_SMTP_URL',
  },
  rollkey_audit_stream_total: {
    type: 'counter',
    help: 'Audit stream: entries and checkpoints that were delivered, and batches of them that failed and are sent again',
    labels: ['outcome'],
    where: 'ROLLKEY_AUDIT_STREAM',
  },
  rollkey_outbox_waiting: { type: 'gauge', help: 'Messages that wait to be sent', labels: ['outbox'] },
  rollkey_outbox_set_aside: {
    type: 'gauge',
    help: 'Reports, webhooks and mails that wait for a person',
    labels: ['outbox'],
  },
  rollkey_outbox_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest message that waits; 0 if there is none',
    labels: ['outbox'],
  },
  rollkey_replica_lag_seconds: {
    type: 'gauge',
    help: 'How long the earliest change that the replica lacks has been missing there; 0 if it lacks none',
    labels: [],
    where: 'ROLLKEY_REPLICA_URL',
  },
  rollkey_replica_replaced: {
    type: 'gauge',
    help: '1 if another start has replaced this process as the writer of the replica, so that nothing is shipped; otherwise 0',
    labels: [],
    where: 'ROLLKEY_REPLICA_URL',
  },
  rollkey_replica_shipped_objects_total: {
    type: 'counter',
    help: 'Segments and snapshots that the replica took',
    labels: [],
    where: 'ROLLKEY_REPLICA_URL',
  },
  rollkey_replica_shipped_bytes_total: {
    type: 'counter',
    help: 'Bytes that the replica took',
    labels: [],
    where: 'ROLLKEY_REPLICA_URL',
  },
  rollkey_log_lines_total: {
    type: 'counter',
    help: 'Warnings and errors for the log, by level and message (docs/log.md), also those below the log level',
    labels: ['level', 'message'],
  },
  rollkey_trace_spans_total: {
    type: 'counter',
    help: 'Spans by outcome: exported, dropped (the collector refused them or was not there in time)',
    labels: ['outcome'],
    where: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  rollkey_memory_limit_bytes: {
    type: 'gauge',
    help: 'Memory limit of the control group, or the memory of the machine if that is less',
    labels: [],
  },
  rollkey_data_dir_size_bytes: {
    type: 'gauge',
    help: 'Size of the file system of ROLLKEY_DATA_DIR',
    labels: [],
    where: 'embedded store',
  },
  rollkey_data_dir_free_bytes: {
    type: 'gauge',
    help: 'Free space of the file system of ROLLKEY_DATA_DIR',
    labels: [],
    where: 'embedded store',
  },
  rollkey_rounds_total: {
    type: 'counter',
    help: 'Database statements that validate read sets and count events (rounds), and the requests that shared them (requests)',
    labels: ['what'],
    where: 'PostgreSQL',
  },
  rollkey_database_clock_difference_seconds: {
    type: 'gauge',
    help: 'How far the clock of this node is ahead of the clock of the database, by the latest new connection',
    labels: [],
    where: 'PostgreSQL',
  },
  rollkey_sign_ins_total: {
    type: 'counter',
    help: 'Sign-ins at the embedded provider by method (confirmation: a signed-in person enters the password again) and outcome (delayed: too many wrong passwords for the account; busy: too many passwords are being hashed)',
    labels: ['method', 'outcome'],
    where: 'embedded provider',
  },
  rollkey_usage_report_attempts_total: {
    type: 'counter',
    help: 'Usage reports to the external billing system by outcome: delivered, refused (set aside), not-received and unknown (sent again), unclear (set aside)',
    labels: ['outcome'],
    where: 'ROLLKEY_BILLING_URL',
  },
  rollkey_usage_reports_open: {
    type: 'gauge',
    help: 'Usage reports that wait for delivery (pending) or for an operator (set_aside)',
    labels: ['state'],
    where: 'ROLLKEY_BILLING_URL',
  },
  rollkey_usage_report_oldest_pending_seconds: {
    type: 'gauge',
    help: 'Age of the oldest usage report that waits for delivery; 0 if there is none',
    labels: [],
    where: 'ROLLKEY_BILLING_URL',
  },
} as const satisfies Readonly<Record<string, MetricRow>>

type Rows = typeof metricRows
type NamesOf<Type> = { [Name in keyof Rows]: Rows[Name]['type'] extends Type ? Name : never }[keyof Rows]
export type CounterName = NamesOf<'counter'>
export type GaugeName = NamesOf<'gauge'>
/** The labels of a metric, such as 'endpoint' | 'status'. */
export type LabelOf<Name extends keyof Rows> = Rows[Name]['labels'][number]
