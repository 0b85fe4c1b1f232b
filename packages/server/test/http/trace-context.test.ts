import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { HttpServer } from '../../src/http/server.ts'
import { traceIdOf } from '../../src/tracing/trace-context.ts'
import { startTestEnv } from '../../testkit/test-env.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const header = `00-${traceId}-b7ad6b7169203331-01`

test.each([
  [header, traceId],
  [header.replace(/01$/, '00'), traceId],
  [header.replace('00-', '01-'), traceId],
  [`${header.replace('00-', 'cc-')}-what.comes.later`, traceId],
  [undefined, undefined],
  ['', undefined],
  [`${header}-more`, undefined],
  [`${header.replace('00-', 'cc-')}more`, undefined],
  [header.replace('00-', 'ff-'), undefined],
  [header.toUpperCase(), undefined],
  [header.replace(traceId, '0'.repeat(32)), undefined],
  [header.replace('b7ad6b7169203331', '0'.repeat(16)), undefined],
  [header.replace(traceId, traceId.slice(1)), undefined],
  [`${header}\n`, undefined],
  [`${header}, ${header}`, undefined],
  [[header], undefined],
])('%j has the trace id %j', (value, id) => {
  expect(traceIdOf(value)).toBe(id)
})

test('the trace id of a request is in its line of the log, and a malformed one is ignored', async () => {
  const { app } = await startTestEnv()
  for (const traceparent of [header, 'canary-7f3a']) {
    expect((await fetch(`${app.url}/v1/whoami`, { headers: { traceparent } })).status).toBe(401)
  }
  const lines = app.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.filter(({ msg }) => msg === 'answered').map((line) => line['traceId'])).toEqual([traceId, undefined])
  expect(app.log.join('')).not.toContain('canary')
})

test('the trace id is in the line of a page that failed', async () => {
  const lines: string[] = []
  const server = new HttpServer(createLog('info', { write: (line) => lines.push(line) }))
  const port = await server.listen('127.0.0.1', 0)
  const fail = (): never => {
    throw new Error('broken')
  }
  server.open({ pages: {}, document: fail, api: fail })
  await fetch(`http://127.0.0.1:${port}/`, { headers: { traceparent: header } })
  await server.drain(0)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ msg: 'page request failed', traceId }),
  ])
})
