/** What the alert rules and the dashboard of `deploy/` name, compared with the metrics, the endpoints and the operator's guide. */
import { readFileSync } from 'node:fs'
import { endpoints } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { logMessages } from '../packages/server/src/base/log-messages.ts'
import { countedLog, createLog } from '../packages/server/src/base/log.ts'
import { Metrics } from '../packages/server/src/http/metrics/metrics.ts'
import { metricRows } from '../packages/server/src/http/metrics/table.ts'
import { TestClock } from '../packages/server/testkit/clock.ts'
import { alerts, panels } from './monitoring.ts'

const counts = {
  counted: 1,
  repeated: 0,
  refused: 0,
  settledBytes: 0,
  releasedBytes: 0,
  delivered: 1,
  failed: 0,
  switchedOff: 0,
}
const reports = { 'not-received': 0, unknown: 0, unclear: 0 }

/** Returns all metrics of a service with all its parts, by name, with their labels. */
async function collected(dataDir = '.'): Promise<Map<string, { type: string; labels: Set<string> }>> {
  const log = countedLog(createLog('silent'))
  log.error('request failed')
  const metrics = new Metrics({
    ledger: counts,
    refused: new Map([['ip', 1]]),
    rounds: { rounds: 1, requests: 2 },
    database: { clockDifferenceMs: 1 },
    signIns: new Map([['password failed', 1]]),
    billing: { ...counts, ...reports },
    hooks: counts,
    mails: { sent: 1, failed: 0, setAside: 0 },
    auditStream: counts,
    outboxes: async () => [{ outbox: 'billing', waiting: 1, setAside: 0, oldestAtMs: 0 }],
    replica: { metrics: { lagMs: 1, isReplaced: false, shippedObjects: 1, shippedBytes: 1 } },
    traces: { metrics: { exported: 1, dropped: 0 } },
    isReady: async () => true,
    dataDir,
    clock: new TestClock(),
    log,
  })
  metrics.answered('evaluate', 200, 1)
  const text = await metrics.text()
  const found = new Map<string, { type: string; labels: Set<string> }>()
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    found.set(name, { type, labels: new Set() })
  for (const [, sample = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const name = found.has(sample) ? sample : sample.replace(/_(?:bucket|sum|count)$/, '')
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') found.get(name)?.labels.add(label)
  }
  return found
}

const metrics = await collected()
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...alerts.flatMap(({ fault, calm }) => [...Object.keys(fault), ...Object.keys(calm)]),
  ...panels.flatMap(({ queries }) => queries.map(([expr]) => expr)),
]

/** Returns what an expression names and what is unknown of it. */
function unknownIn(expression: string): string[] {
  const plain = expression.replaceAll(/"[^"]*"/g, '""')
  const known = new Set(['job', 'instance'])
  const unknown: string[] = []
  for (const [, name = '', matchers = ''] of plain.matchAll(
    /\b((?:rollkey|process|nodejs)_\w+|up\b)(?:\{([^}]*)\})?/g,
  )) {
    const [metric, suffix = ''] = metrics.has(name) ? [name] : [name.replace(/_bucket$/, ''), '_bucket']
    const labels = new Set(['job', 'instance', ...(metrics.get(metric)?.labels ?? []), ...(suffix ? ['le'] : [])])
    if (metric !== 'up' && !metrics.has(metric)) unknown.push(name)
    for (const label of labels) known.add(label)
    const named = [...matchers.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, label = '']) => label)
    unknown.push(...named.filter((label) => !labels.has(label)).map((label) => `${name}{${label}}`))
  }
  const grouped = [...plain.matchAll(/\b(?:by|without|on|ignoring) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/, */),
  )
  return [...unknown, ...grouped.filter((label) => !known.has(label))]
}

test('the table has exactly the metrics of the service, with their types, labels and help', () => {
  const own = [...metrics].filter(([name]) => name.startsWith('rollkey_'))
  expect(Object.fromEntries(own.map(([name, { type, labels }]) => [name, { type, labels: [...labels] }]))).toEqual(
    Object.fromEntries(
      Object.entries(metricRows).map(([name, { type, labels }]) => [name, { type, labels: [...labels] }]),
    ),
  )
})

test('a disk that fails leaves the other metrics', async () => {
  expect((await collected('/nowhere')).get('rollkey_ready')).toBeDefined()
})

test('every metric, label and value that a rule or a panel names exists', () => {
  expect(expressions.flatMap(unknownIn)).toEqual([])
  const valuesOf = (label: string): string[] =>
    expressions.flatMap((text) =>
      [...text.matchAll(new RegExp(`\\b${label}="([^"]*)"`, 'g'))].map(([, value = '']) => value),
    )
  expect(valuesOf('endpoint').filter((name) => !Object.hasOwn(endpoints, name))).toEqual([])
  expect(valuesOf('message').filter((text) => !Object.hasOwn(logMessages, text))).toEqual([])
})

test('what does not exist is found', () => {
  expect(unknownIn('sum by (stage) (rate(rollkey_requests_total{state="200"}[5m])) > rollkey_nothing')).toEqual([
    'rollkey_requests_total{state}',
    'rollkey_nothing',
    'stage',
  ])
})

test('each alert has a section of the guide that says its severity, what to look at and what to do, and no section has none', () => {
  const guide = readFileSync(new URL('../docs/operator-guide.md', import.meta.url), 'utf8')
  const sections = guide.split(/^#+ /m).filter((section) => section.startsWith('Rollkey'))
  const shapes = sections.map((section) =>
    /^(\w+)\n\n\*(page|ticket)\* · \S[^]*\n- \*\*Look at\*\* [^]*\n- \*\*Do\*\*/.exec(section)?.slice(1).join(' '),
  )
  expect(shapes).toEqual(alerts.map(({ name, severity }) => `${name} ${severity}`))
})
