/** The exporter with collectors that fail: nothing waits for them, and what is not sent is counted. */
import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { Exporter } from '../../src/tracing/exporter.ts'
import type { Span } from '../../src/tracing/otlp.ts'
import { TestClock } from '../../testkit/clock.ts'
import { startCollector, type Collector } from '../../testkit/collector.ts'
import type { FailureMode } from '../../testkit/fake-server.ts'

const collector = await startCollector()

/** `closeMs`: how long a stop waits. A slow machine needs some time where the collector works. */
function open(closeMs = 60_000): { exporter: Exporter; clock: TestClock; log: string[] } {
  const clock = new TestClock()
  const log: string[] = []
  const exporter = new Exporter({
    url: `${collector.url}/v1/traces`,
    headers: { 'x-key': 'k' },
    source: { resource: { 'service.name': 'rollkey' }, version: '1.2.3' },
    clock,
    log: createLog('debug', { write: (line) => log.push(line) }),
    closeMs,
  })
  return { exporter, clock, log }
}

const span: Span = {
  traceId: 'a'.repeat(32),
  id: 'b'.repeat(16),
  parentId: undefined,
  name: 'evaluate',
  kind: 'server',
  startMs: 1_800_000_000_000.25,
  endMs: 1_800_000_000_001.5,
  attributes: { 'http.response.status_code': 200 },
  hasFailed: false,
}

function add(exporter: Exporter, count: number): void {
  for (let n = 0; n < count; n++) exporter.add({ ...span, name: `span ${n}` })
}

/** Has the collector fail, until it has received one request more. */
async function failOnce(mode: FailureMode, { clock }: { clock: TestClock }, { requests }: Collector): Promise<void> {
  const before = requests.length
  collector.failureMode = mode
  clock.doPeriodicWork()
  await expect.poll(() => requests.length).toBe(before + 1)
}

test('a batch has the form, the headers and the times of OTLP', async () => {
  collector.failureMode = 'works'
  const { exporter } = open()
  exporter.add(span)
  await exporter.close()
  const sent = collector.requests.at(-1)
  expect(sent?.headers['x-key']).toBe('k')
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'rollkey' } }] },
        scopeSpans: [
          {
            scope: { name: 'rollkey', version: '1.2.3' },
            spans: [
              {
                startTimeUnixNano: '1800000000000250000',
                endTimeUnixNano: '1800000000001500000',
                attributes: [{ key: 'http.response.status_code', value: { intValue: '200' } }],
              },
            ],
          },
        ],
      },
    ],
  })
  expect(exporter.metrics).toEqual({ exported: 1, dropped: 0 })
})

test.each<FailureMode>(['resets', { status: 429 }, { status: 503 }, { status: 502 }])(
  'what a collector could not take now (%j) is sent again, in order, and logged once',
  async (mode) => {
    const parts = open()
    add(parts.exporter, 3)
    await failOnce(mode, parts, collector)
    await expect.poll(() => parts.log.length).toBe(1)
    collector.spans.length = 0
    collector.failureMode = 'works'
    // A round that is not over yet begins no other one.
    await expect.poll(() => (parts.clock.doPeriodicWork(), collector.spans.map(({ name }) => name))).toHaveLength(3)
    expect(collector.spans.map(({ name }) => name)).toEqual(['span 0', 'span 1', 'span 2'])
    await parts.exporter.close()
    expect(parts.exporter.metrics).toEqual({ exported: 3, dropped: 0 })
    expect(JSON.parse(parts.log.join(''))).toMatchObject({
      level: 'warn',
      msg: 'the collector did not accept traces',
      reason: expect.stringMatching(/^status \d{3}$|^TypeError/),
    })
  },
)

test.each([400, 401, 302, 500])('what a collector refuses with %d is dropped and counted', async (status) => {
  const parts = open()
  add(parts.exporter, 2)
  await failOnce({ status }, parts, collector)
  await expect.poll(() => parts.exporter.metrics).toEqual({ exported: 0, dropped: 2 })
  await parts.exporter.close()
})

test.each<FailureMode>(['hangs', 'resets', { status: 503 }])(
  'a collector that %j holds no more than the newest spans, and no stop',
  async (mode) => {
    collector.failureMode = mode
    const parts = open(500)
    // The first 512 are on their way, or wait again.
    add(parts.exporter, 5_000)
    expect(parts.exporter.metrics.dropped).toBe(5_000 - 512 - 2_048)
    await parts.exporter.close()
    expect(parts.exporter.metrics).toEqual({ exported: 0, dropped: 5_000 })
  },
)

test('a stop sends what is left, in batches', async () => {
  collector.failureMode = 'works'
  const before = collector.requests.length
  const { exporter } = open()
  add(exporter, 1_500)
  await exporter.close()
  expect(exporter.metrics).toEqual({ exported: 1_500, dropped: 0 })
  expect(collector.requests.length - before).toBe(3)
})
