/** The alert rules for Prometheus, their unit tests, the dashboard for Grafana and the page of metrics. `npm run generate` writes them. */
import { stringify } from 'yaml'
import { metricRows } from '../packages/server/src/http/metrics/table.ts'
import { logMessages } from '../packages/server/src/base/log-messages.ts'

const guide = 'https://github.com/rollkey/rollkey/blob/main/docs/operator-guide.md'
const unopened = 'stored value cannot be opened'
const sweepFailed = 'housekeeping failed'

interface Alert {
  readonly name: string
  /** page: wakes someone. ticket: waits for the next working day. */
  readonly severity: 'page' | 'ticket'
  readonly expr: string
  readonly for: string
  readonly summary: string
  /** Series of a fault as in the unit tests of Prometheus, which begin at 0 and have a value a minute. */
  readonly fault: Readonly<Record<string, string>>
  /** Series without the fault, on which the alert stays silent. */
  readonly calm: Readonly<Record<string, string>>
  /** Labels of the alert that the fault raises, besides the severity. */
  readonly labels?: Readonly<Record<string, string>>
}

const at = 'job="rollkey", instance="a:8787"'
const ofInstance = { job: 'rollkey', instance: 'a:8787' }

/** Returns an alert on a counter that should stand still. */
function standsStill(series: string): Pick<Alert, 'fault' | 'calm'> {
  return { fault: { [series]: '0x30 1x60' }, calm: { [series]: '7x90' } }
}

/** Returns an alert on a counter that may grow slowly. Both are the growth a minute. */
function grows(series: string, fault: number, calm: number): Pick<Alert, 'fault' | 'calm'> {
  return { fault: { [series]: `0+${fault}x90` }, calm: { [series]: `0+${calm}x90` } }
}

export const alerts: readonly Alert[] = [
  {
    name: 'RollkeyDown',
    severity: 'page',
    expr: 'up{job="rollkey"} == 0 or absent(up{job="rollkey"})',
    for: '1m',
    summary: 'A node does not answer',
    fault: { [`up{${at}}`]: '1x20 0x70' },
    calm: { [`up{${at}}`]: '1x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyNotReady',
    severity: 'page',
    expr: 'rollkey_ready == 0',
    for: '1m',
    summary: 'The store takes no writes, so evaluations and writes are answered 503',
    fault: { [`rollkey_ready{${at}}`]: '1x20 0x70' },
    calm: { [`rollkey_ready{${at}}`]: '1x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyRestarts',
    severity: 'page',
    expr: 'changes(process_start_time_seconds{job="rollkey"}[30m]) > 2',
    for: '0m',
    summary: 'A node starts again and again',
    fault: { [`process_start_time_seconds{${at}}`]: '0+60x90' },
    calm: { [`process_start_time_seconds{${at}}`]: '0x70 60x20' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyErrors',
    severity: 'page',
    expr: 'sum(rate(rollkey_requests_total{status=~"5.."}[5m])) > 0.01 * sum(rate(rollkey_requests_total[5m]))',
    for: '5m',
    summary: 'More than 1% of the requests fail',
    fault: {
      'rollkey_requests_total{endpoint="evaluate", status="200"}': '0+900x90',
      'rollkey_requests_total{endpoint="evaluate", status="503"}': '0+100x90',
    },
    calm: {
      'rollkey_requests_total{endpoint="evaluate", status="200"}': '0+9990x90',
      'rollkey_requests_total{endpoint="evaluate", status="503"}': '0+1x90',
    },
  },
  {
    name: 'RollkeySlowAnswers',
    severity: 'ticket',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(rollkey_request_duration_seconds_bucket{endpoint="evaluate"}[5m]))) > 0.25',
    for: '10m',
    summary: 'One evaluation in 100 takes more than 250 ms',
    fault: {
      'rollkey_request_duration_seconds_bucket{endpoint="evaluate", le="0.25"}': '0+90x90',
      'rollkey_request_duration_seconds_bucket{endpoint="evaluate", le="0.5"}': '0+100x90',
      'rollkey_request_duration_seconds_bucket{endpoint="evaluate", le="+Inf"}': '0+100x90',
    },
    calm: {
      'rollkey_request_duration_seconds_bucket{endpoint="evaluate", le="0.25"}': '0+100x90',
      'rollkey_request_duration_seconds_bucket{endpoint="evaluate", le="+Inf"}': '0+100x90',
    },
  },
  {
    name: 'RollkeyBusy',
    severity: 'ticket',
    expr: 'nodejs_eventloop_lag_p99_seconds{job="rollkey"} > 0.25',
    for: '10m',
    summary: 'The process of a node is busy, so that everything waits for it',
    fault: { [`nodejs_eventloop_lag_p99_seconds{${at}}`]: '0.4x90' },
    calm: { [`nodejs_eventloop_lag_p99_seconds{${at}}`]: '0.02x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyValuesDoNotOpen',
    severity: 'page',
    expr: `sum(increase(rollkey_log_lines_total{message="${unopened}"}[1h])) > 0`,
    for: '0m',
    summary: 'Stored values cannot be opened',
    ...standsStill(`rollkey_log_lines_total{level="error", message="${unopened}"}`),
  },
  {
    name: 'RollkeyErrorsLogged',
    severity: 'ticket',
    expr: 'sum by (message) (increase(rollkey_log_lines_total{level="error"}[1h])) > 0',
    for: '0m',
    summary: 'The log has a line of level error',
    ...standsStill('rollkey_log_lines_total{level="error", message="request failed"}'),
    labels: { message: 'request failed' },
  },
  {
    name: 'RollkeyHousekeepingFails',
    severity: 'ticket',
    expr: `sum(increase(rollkey_log_lines_total{message="${sweepFailed}"}[1h])) > 10`,
    for: '0m',
    summary: 'What has expired is not deleted, so the store grows',
    ...grows(`rollkey_log_lines_total{level="warn", message="${sweepFailed}"}`, 1, 0),
  },
  {
    name: 'RollkeyDiskFills',
    severity: 'ticket',
    expr: 'rollkey_data_dir_free_bytes < 0.2 * rollkey_data_dir_size_bytes',
    for: '10m',
    summary: 'Less than 20% of the disk of the embedded store are free',
    fault: { [`rollkey_data_dir_free_bytes{${at}}`]: '19x90', [`rollkey_data_dir_size_bytes{${at}}`]: '100x90' },
    calm: { [`rollkey_data_dir_free_bytes{${at}}`]: '21x90', [`rollkey_data_dir_size_bytes{${at}}`]: '100x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyMemory',
    severity: 'ticket',
    expr: 'process_resident_memory_bytes{job="rollkey"} > 0.8 * rollkey_memory_limit_bytes',
    for: '10m',
    summary: 'A node uses more than 80% of its memory',
    fault: { [`process_resident_memory_bytes{${at}}`]: '81x90', [`rollkey_memory_limit_bytes{${at}}`]: '100x90' },
    calm: { [`process_resident_memory_bytes{${at}}`]: '79x90', [`rollkey_memory_limit_bytes{${at}}`]: '100x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyFileDescriptors',
    severity: 'ticket',
    expr: 'process_open_fds{job="rollkey"} > 0.8 * process_max_fds{job="rollkey"}',
    for: '5m',
    summary: 'A node uses more than 80% of its file descriptors',
    fault: { [`process_open_fds{${at}}`]: '900x90', [`process_max_fds{${at}}`]: '1024x90' },
    calm: { [`process_open_fds{${at}}`]: '100x90', [`process_max_fds{${at}}`]: '1024x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyClocksDiffer',
    severity: 'page',
    expr: 'abs(rollkey_database_clock_difference_seconds) > 1',
    for: '5m',
    summary: 'The clocks of a node and of the database differ by more than a second',
    fault: { [`rollkey_database_clock_difference_seconds{${at}}`]: '-3600x90' },
    calm: { [`rollkey_database_clock_difference_seconds{${at}}`]: '0.1x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyRateLimited',
    severity: 'ticket',
    expr: 'sum by (limit) (rate(rollkey_rate_limited_total[15m])) > 1',
    for: '0m',
    summary: 'A rate limit refuses more than one request a second',
    ...grows('rollkey_rate_limited_total{limit="requests"}', 120, 30),
    labels: { limit: 'requests' },
  },
  {
    name: 'RollkeyUnauthorized',
    severity: 'ticket',
    expr: 'sum(rate(rollkey_requests_total{status="401"}[15m])) > 10',
    for: '0m',
    summary: 'More than 10 requests a second have no valid credential',
    ...grows('rollkey_requests_total{endpoint="evaluate", status="401"}', 900, 300),
  },
  {
    name: 'RollkeyPasswordGuessing',
    severity: 'ticket',
    expr: 'sum(rate(rollkey_sign_ins_total{outcome=~"failed|delayed"}[15m])) > 1',
    for: '0m',
    summary: 'More than one sign-in a second fails',
    ...grows('rollkey_sign_ins_total{method="password", outcome="failed"}', 90, 30),
  },
  {
    name: 'RollkeySignInBusy',
    severity: 'ticket',
    expr: 'sum(increase(rollkey_sign_ins_total{outcome="busy"}[15m])) > 0',
    for: '5m',
    summary: 'People are refused because too many passwords are being checked',
    ...grows('rollkey_sign_ins_total{method="password", outcome="busy"}', 1, 0),
  },
  {
    name: 'RollkeyUsageReportsLate',
    severity: 'ticket',
    expr: 'max(rollkey_usage_report_oldest_pending_seconds) > 3600',
    for: '0m',
    summary: 'Usage has waited for an hour for the external billing system',
    fault: { [`rollkey_usage_report_oldest_pending_seconds{${at}}`]: '0+60x90' },
    calm: { [`rollkey_usage_report_oldest_pending_seconds{${at}}`]: '60x90' },
  },
  {
    name: 'RollkeyUsageReportsSetAside',
    severity: 'ticket',
    expr: 'max(rollkey_usage_reports_open{state="set_aside"}) > 0',
    for: '0m',
    summary: 'Usage reports wait for an operator',
    fault: { [`rollkey_usage_reports_open{state="set_aside", ${at}}`]: '2x90' },
    calm: { [`rollkey_usage_reports_open{state="set_aside", ${at}}`]: '0x90' },
  },
  {
    name: 'RollkeyWebhookSwitchedOff',
    severity: 'ticket',
    expr: 'sum(increase(rollkey_hook_messages_total{outcome="switched_off"}[1h])) > 0',
    for: '0m',
    summary: 'A webhook was switched off after three days of failures',
    ...standsStill('rollkey_hook_messages_total{outcome="switched_off"}'),
  },
  {
    name: 'RollkeyMailsSetAside',
    severity: 'ticket',
    expr: 'sum(increase(rollkey_mails_total{outcome="set_aside"}[1h])) > 0',
    for: '0m',
    summary: 'Mails were set aside and are not sent again',
    ...standsStill('rollkey_mails_total{outcome="set_aside"}'),
  },
  {
    name: 'RollkeyAuditStreamLate',
    severity: 'page',
    expr: 'max(rollkey_outbox_oldest_seconds{outbox="audit-stream"}) > 300',
    for: '0m',
    summary: 'Entries of the audit log wait for the receiver of the audit stream',
    fault: { [`rollkey_outbox_oldest_seconds{outbox="audit-stream", ${at}}`]: '0+60x90' },
    calm: { [`rollkey_outbox_oldest_seconds{outbox="audit-stream", ${at}}`]: '2x90' },
  },
  {
    name: 'RollkeyReplicaBehind',
    severity: 'page',
    expr: 'rollkey_replica_lag_seconds > 60',
    for: '0m',
    summary: 'What is written now would be lost with the machine',
    fault: { [`rollkey_replica_lag_seconds{${at}}`]: '0+60x90' },
    calm: { [`rollkey_replica_lag_seconds{${at}}`]: '1x90' },
    labels: ofInstance,
  },
  {
    name: 'RollkeyReplicaReplaced',
    severity: 'page',
    expr: 'rollkey_replica_replaced > 0',
    for: '0m',
    summary: 'Two services run on one store, and this one is not in the replica',
    fault: { [`rollkey_replica_replaced{${at}}`]: '0x20 1x70' },
    calm: { [`rollkey_replica_replaced{${at}}`]: '0x90' },
    labels: ofInstance,
  },
]

function runbookOf({ name }: Alert): string {
  return `${guide}#${name.toLowerCase()}`
}

const header = '# `npm run generate` makes this file from tools/monitoring.ts.\n'

function yaml(value: object): string {
  return header + stringify(value, { lineWidth: 0 })
}

function annotationsOf(alert: Alert): object {
  return { summary: alert.summary, runbook_url: runbookOf(alert) }
}

function rules(): string {
  const rows = alerts.map((alert) => {
    const { name, expr, severity } = alert
    const wait = alert.for === '0m' ? {} : { for: alert.for }
    return { alert: name, expr, ...wait, labels: { severity }, annotations: annotationsOf(alert) }
  })
  return yaml({ groups: [{ name: 'rollkey', rules: rows }] })
}

function inputSeries(series: Alert['fault']): object[] {
  return Object.entries(series).map(([name, values]) => ({ series: name, values }))
}

function ruleTests(): string {
  const up = { 'up{job="rollkey", instance="a:8787"}': '1x90' }
  const tests = alerts.flatMap((alert) => {
    const { name, severity, labels } = alert
    const fires = [{ exp_labels: { severity, ...labels }, exp_annotations: annotationsOf(alert) }]
    return (['fault', 'calm'] as const).map((series) => ({
      name: `${name}, ${series}`,
      interval: '1m',
      input_series: inputSeries({ ...up, ...alert[series] }),
      alert_rule_test: [
        {
          eval_time: '80m',
          alertname: name,
          exp_alerts: series === 'fault' ? fires : [],
        },
      ],
    }))
  })
  return yaml({ rule_files: ['rollkey.rules.yaml'], evaluation_interval: '1m', tests })
}

interface Panel {
  readonly title: string
  readonly unit: string
  /** Queries and what names a line of each. */
  readonly queries: readonly (readonly [expr: string, legend: string])[]
}

const here = 'job="$job", instance=~"$instance"'

export const panels: readonly Panel[] = [
  {
    title: 'Nodes that are ready',
    unit: 'short',
    queries: [
      [`sum(rollkey_ready{${here}})`, 'ready'],
      [`count(up{${here}})`, 'all'],
    ],
  },
  {
    title: 'Requests a second',
    unit: 'reqps',
    queries: [[`sum by (endpoint) (rate(rollkey_requests_total{${here}}[$__rate_interval]))`, '{{endpoint}}']],
  },
  {
    title: 'Answers with an error',
    unit: 'reqps',
    queries: [
      [`sum by (status) (rate(rollkey_requests_total{${here}, status=~"4..|5.."}[$__rate_interval]))`, '{{status}}'],
    ],
  },
  {
    title: 'Time to the answer of an evaluation',
    unit: 's',
    queries: ([0.5, 0.99, 0.999] as const).map((quantile) => [
      `histogram_quantile(${quantile}, sum by (le) (rate(rollkey_request_duration_seconds_bucket{${here}, endpoint="evaluate"}[$__rate_interval])))`,
      `p${quantile * 100}`,
    ]),
  },
  {
    title: 'Billing events a second',
    unit: 'short',
    queries: [[`sum by (outcome) (rate(rollkey_billing_events_total{${here}}[$__rate_interval]))`, '{{outcome}}']],
  },
  {
    title: 'Refused by rate limits',
    unit: 'reqps',
    queries: [[`sum by (limit) (rate(rollkey_rate_limited_total{${here}}[$__rate_interval]))`, '{{limit}}']],
  },
  {
    title: 'Sign-ins a minute',
    unit: 'short',
    queries: [
      [
        `60 * sum by (method, outcome) (rate(rollkey_sign_ins_total{${here}}[$__rate_interval]))`,
        '{{method}} {{outcome}}',
      ],
    ],
  },
  {
    title: 'Warnings and errors of the log, an hour',
    unit: 'short',
    queries: [
      [`sum by (level, message) (increase(rollkey_log_lines_total{${here}}[1h])) > 0`, '{{level}} {{message}}'],
    ],
  },
  {
    title: 'Memory',
    unit: 'bytes',
    queries: [
      [`process_resident_memory_bytes{${here}}`, '{{instance}}'],
      [`rollkey_memory_limit_bytes{${here}}`, '{{instance}}, limit'],
    ],
  },
  {
    title: 'Cores in use',
    unit: 'short',
    queries: [[`rate(process_cpu_seconds_total{${here}}[$__rate_interval])`, '{{instance}}']],
  },
  {
    title: 'Wait for the process',
    unit: 's',
    queries: [[`nodejs_eventloop_lag_p99_seconds{${here}}`, '{{instance}}, p99']],
  },
  {
    title: 'Free disk of the embedded store',
    unit: 'bytes',
    queries: [[`rollkey_data_dir_free_bytes{${here}}`, '{{instance}}']],
  },
  {
    title: 'Growth of the values',
    unit: 'bytes',
    queries: [[`rollkey_storage_growth_bytes{${here}}`, '{{instance}}']],
  },
  {
    title: 'Requests in a round to the database',
    unit: 'short',
    queries: [
      [
        `rate(rollkey_rounds_total{${here}, what="requests"}[$__rate_interval]) / ignoring (what) rate(rollkey_rounds_total{${here}, what="rounds"}[$__rate_interval])`,
        '{{instance}}',
      ],
    ],
  },
  {
    title: 'Clock ahead of the database',
    unit: 's',
    queries: [[`rollkey_database_clock_difference_seconds{${here}}`, '{{instance}}']],
  },
  {
    title: 'Messages to webhooks a minute',
    unit: 'short',
    queries: [[`60 * sum by (outcome) (rate(rollkey_hook_messages_total{${here}}[$__rate_interval]))`, '{{outcome}}']],
  },
  {
    title: 'Usage reports that are open',
    unit: 'short',
    queries: [[`max by (state) (rollkey_usage_reports_open{${here}})`, '{{state}}']],
  },
]

const [columns, height] = [3, 8]
const width = 24 / columns

function panelOf({ title, unit, queries }: Panel, index: number): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' }
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource,
    gridPos: { x: (index % columns) * width, y: Math.floor(index / columns) * height, w: width, h: height },
    fieldConfig: { defaults: { unit, min: unit === 's' ? undefined : 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], position) => ({
      refId: String.fromCodePoint(65 + position),
      datasource,
      expr,
      legendFormat,
    })),
  }
}

function variable(name: string, label: string, query: string, isMany: boolean): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' }
  const all = isMany ? { multi: true, includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } } : {}
  return { type: 'query', name, label, datasource, query, refresh: 2, sort: 1, ...all }
}

function dashboard(): string {
  const list = [
    { type: 'datasource', name: 'datasource', label: 'Data source', query: 'prometheus' },
    variable('job', 'Job', 'label_values(rollkey_ready, job)', false),
    variable('instance', 'Node', 'label_values(rollkey_ready{job="$job"}, instance)', true),
  ]
  return JSON.stringify({
    uid: 'rollkey',
    title: 'Rollkey',
    tags: ['rollkey'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    links: [{ type: 'link', title: "Operator's guide", url: guide, targetBlank: true }],
    templating: { list },
    panels: panels.map(panelOf),
  })
}

function metricsPage(): string {
  const rows = Object.entries(metricRows).map(([name, row]) => {
    const labels = row.labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${name}\` | ${row.type} | ${labels} | ${row.help} | ${'where' in row ? row.where : 'always'} |`
  })
  return `# Metrics

What \`/metrics\` has, in the text format of Prometheus, beside \`process_*\` and \`nodejs_*\` of the process.
Labels are fixed names of the source, never an organization, a person, a variable or a path.
[Watch](operator-guide.md#watch) says who may read them, and [alerts](operator-guide.md#alerts) what they warn of.
\`npm run generate\` makes this page from \`packages/server/src/http/metrics/table.ts\`.

| Name | Type | Labels | What it is | With |
|---|---|---|---|---|
${rows.join('\n')}
`
}

function logPage(): string {
  const rows = Object.entries(logMessages).map(([text, { level, fields, about }]) => {
    const names = fields
      .split(' ')
      .filter(Boolean)
      .map((name) => `\`${name}\``)
      .join(', ')
    return `| ${text} | ${level} | ${names} | ${about} |`
  })
  return `# Log

The service writes one JSON object a line to standard output, with \`level\`, \`time\` (milliseconds since 1970), \`msg\` and fields.
These messages, their levels and their fields stay the same from version to version; the [changelog](../CHANGELOG.md) names each change.
A field is absent where it has no value.
No line has a value, a token or a name of a variable.
\`reason\` is the class, the code and the position of an error, never its text.
Problems of the database are also logged as \`the database …\`, with level error and \`reason\`
([a database that is half there](operator-guide.md#a-database-that-is-half-there)).
\`rollkey_log_lines_total\` counts warnings and errors by message ([metrics](metrics.md)).
\`npm run generate\` makes this page from \`packages/server/src/base/log-messages.ts\`.

| Message | Level | Fields | What it means |
|---|---|---|---|
${rows.join('\n')}
`
}

export function monitoringFiles(): { readonly path: string; readonly text: string }[] {
  return [
    { path: 'deploy/prometheus/rollkey.rules.yaml', text: rules() },
    { path: 'deploy/prometheus/rollkey.test.yaml', text: ruleTests() },
    { path: 'deploy/grafana/rollkey.json', text: dashboard() },
    { path: 'docs/metrics.md', text: metricsPage() },
    { path: 'docs/log.md', text: logPage() },
  ]
}
