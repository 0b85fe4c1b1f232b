import { expect, test } from 'vitest'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Span } from '../../src/tracing/otlp.ts'
import type { Sampler } from '../../src/tracing/settings.ts'
import { statementName } from '../../src/tracing/sql.ts'
import { Tracer } from '../../src/tracing/tracer.ts'
import { TestClock } from '../../testkit/clock.ts'

const callerId = 'b7ad6b7169203331'

interface Traced {
  readonly spans: readonly Span[]
  readonly tracer: Tracer
  /** Answers a request of a caller by this work. */
  readonly request: (traceparent: string | undefined, work?: () => Promise<void> | void) => Promise<void>
}

function traced(sampler: Sampler = { followsCaller: true, ratio: 1 }): Traced {
  const spans: Span[] = []
  const tracer = new Tracer({ sampler, clock: new TestClock(), add: (span) => spans.push(span) })
  const observer = tracer.observing({ answered: () => undefined })
  return {
    spans,
    tracer,
    async request(traceparent, work = () => undefined) {
      const request = { method: 'POST', headers: { traceparent } } as unknown as IncomingMessage
      const answer = async (): Promise<void> => {
        await work()
        observer.answered('write', 200, 1, 'org')
      }
      await tracer.traced(answer)(request, {} as ServerResponse)
    },
  }
}

const child = { name: 'transaction', kind: 'client', attributes: {} } as const

test.each([
  [{ followsCaller: true, ratio: 0 }, '01', 1],
  [{ followsCaller: true, ratio: 1 }, '00', 0],
  [{ followsCaller: true, ratio: 0 }, undefined, 0],
  [{ followsCaller: false, ratio: 0 }, '01', 0],
  [{ followsCaller: false, ratio: 1 }, '00', 1],
])('of the sampler %j, a caller with the flags %s gets %d spans', async (sampler, flags, count) => {
  const { spans, request } = traced(sampler)
  await request(flags && `00-${'f'.repeat(32)}-${callerId}-${flags}`)
  expect(spans).toHaveLength(count)
})

test('a share of the traces is decided by their ids', async () => {
  const { spans, request } = traced({ followsCaller: false, ratio: 0.25 })
  for (const end of ['bf', 'c0']) await request(`00-${'a'.repeat(18)}${end}${'0'.repeat(12)}-${callerId}-01`)
  expect(spans.map(({ traceId }) => traceId.slice(18, 20))).toEqual(['c0'])
})

test('spans are below the span around them, and a failure is theirs alone', async () => {
  const { spans, tracer, request } = traced()
  await request(undefined, async () => {
    const inner = tracer.within(child, () =>
      tracer.within({ ...child, name: 'select' }, () => Promise.reject(new Error('gone'))),
    )
    await expect(inner).rejects.toThrow('gone')
  })
  const [select, transaction, root] = spans
  expect(spans.map(({ name, hasFailed }) => [name, hasFailed])).toEqual([
    ['select', true],
    ['transaction', true],
    ['write', false],
  ])
  expect([select?.parentId, transaction?.parentId, root?.parentId]).toEqual([transaction?.id, root?.id, undefined])
})

test('a request has a bounded number of spans, and says how many it lacks', async () => {
  const { spans, tracer, request } = traced()
  await request(undefined, async () => {
    for (let n = 0; n < 103; n++) await tracer.within(child, async () => undefined)
  })
  expect(spans).toHaveLength(101)
  expect(spans.at(-1)?.attributes['rollkey.spans_not_recorded']).toBe(3)
})

test('what a request leaves behind has no span', async () => {
  const { spans, tracer, request } = traced()
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  let later: Promise<unknown> | undefined
  await request(undefined, () => {
    later = answered.then(() => tracer.within(child, async () => undefined))
  })
  resolve()
  await later
  expect(spans.map(({ name }) => name)).toEqual(['write'])
})

test.each([
  ['select a, b from variables where stage_id = $1', 'select variables'],
  ['\n  insert into audit (org_id) values ($1)', 'insert audit'],
  ['update stages set revision = $1 from projects', 'update stages'],
  ['delete from mails', 'delete mails'],
  ['with old as (select 1 from meters) update meters set a = 1', 'update meters'],
  ['with old as (select 1 from meters) select * from old', 'select meters'],
  ['select id from hooks where id = $1 for update skip locked', 'select hooks'],
  ['insert into mails (id) values ($1) on conflict (id) do update set id = 1', 'insert mails'],
  ['select id from "user"', 'select user'],
  ['pragma optimize', 'statement'],
])('%j is the statement %j', (text, name) => {
  expect(statementName(text)).toBe(name)
})
