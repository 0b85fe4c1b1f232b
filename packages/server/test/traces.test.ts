/** Tests the traces of a service: which spans a collector receives, and what they say. */
import { expect, test } from 'vitest'
import { Canaries } from '../testkit/canaries.ts'
import { newUser } from '../testkit/client.ts'
import { startCollector, type CollectedSpan } from '../testkit/collector.ts'
import { secret } from '../testkit/entries.ts'
import { newTenant, useTestEnv, write } from '../testkit/test-env.ts'

const collector = await startCollector()
const canaries = new Canaries()
const testEnv = useTestEnv({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,team=a%20b',
})

const callerId = 'b7ad6b7169203331'

/** Sends a request of a trace. Returns its spans: that of the request, and those below it. */
async function spansOf(
  path: string,
  input: object,
  headers: Record<string, string>,
  traceId = crypto.randomUUID().replaceAll('-', ''),
): Promise<{ root: CollectedSpan | undefined; children: CollectedSpan[] }> {
  await fetch(testEnv.app.url + path, {
    method: 'POST',
    headers: { ...headers, traceparent: `00-${traceId}-${callerId}-01` },
    body: JSON.stringify(input),
  })
  const spans = await collector.spansUpTo(traceId, testEnv.clock)
  const own = spans.filter((span) => span.traceId === traceId)
  return { root: own.find(({ kind }) => kind === 2), children: own.filter(({ kind }) => kind !== 2) }
}

test('a request has a span below the one of its caller, and its statements have spans below it', async () => {
  const tenant = await newTenant(testEnv)
  const [name, value] = [canaries.plant('the name of a variable'), canaries.plant('the value of a variable')]
  canaries.add('the token', tenant.token)
  await write(testEnv, tenant, [secret(name, value)])
  const headers = { authorization: `Bearer ${tenant.token}`, 'x-service-request-key': canaries.plant('a request key') }
  const input = { ...tenant.at, mode: 'upsert', entries: [secret(name, value)] }
  const { root, children } = await spansOf(`/v1/env/write?${canaries.plant('a query')}`, input, headers)
  expect(root).toMatchObject({
    name: 'write',
    parentId: callerId,
    hasFailed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': '200',
      'rollkey.organization': expect.stringMatching(/^[\w-]+$/),
    },
  })
  const transaction = children.find((span) => span.name === 'transaction')
  expect(transaction).toMatchObject({ parentId: root?.id, kind: 3 })
  expect(children.map((span) => span.name)).toContain('select projects')
  const known = new Set([root?.id, ...children.map(({ id }) => id)])
  expect(children.filter(({ parentId = '' }) => !known.has(parentId))).toEqual([])
  await spansOf('/v1/env/evaluate', { ...tenant.at, name }, headers)
  const refused = await spansOf('/v1/env/evaluate', { ...tenant.at, name: canaries.plant() }, {})
  expect(refused.root?.attributes).toEqual({ 'http.request.method': 'POST', 'http.response.status_code': '401' })
  expect(collector.resource).toMatchObject({
    'service.name': 'rollkey',
    'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
    'deployment.environment.name': 'staging',
    team: 'a b',
  })
  canaries.expectNoneIn('the traces', collector.text)
})

test('a request to another service has a span with its method, host and status alone', async () => {
  // The service does not know the person yet, so the request waits for the answer about the membership.
  const user = newUser()
  const headers = { authorization: `Bearer ${await testEnv.provider.tokenOf(user)}` }
  const { children } = await spansOf('/v1/projects/list', { orgSlug: user.orgSlug }, headers)
  const attributes = children.filter(({ name }) => name === 'GET').map((span) => span.attributes)
  expect(attributes.length).toBeGreaterThan(0)
  const one = { 'http.request.method': 'GET', 'server.address': '127.0.0.1', 'http.response.status_code': '200' }
  expect(attributes).toEqual(attributes.map(() => one))
})

test('without a caller that decides, a request begins a trace, which its line of the log names', async () => {
  await fetch(`${testEnv.app.url}/v1/whoami`)
  const line = testEnv.app.log.findLast((text) => text.includes('"msg":"answered"')) ?? '{}'
  const { traceId } = JSON.parse(line) as { traceId: string }
  const spans = await collector.spansUpTo(traceId, testEnv.clock)
  expect(spans.find((span) => span.traceId === traceId)).toMatchObject({ name: 'whoami', parentId: undefined })
  const unsampled = '5'.repeat(32)
  await fetch(`${testEnv.app.url}/v1/whoami`, { headers: { traceparent: `00-${unsampled}-${callerId}-00` } })
  await spansOf('/v1/whoami', {}, {})
  expect(collector.spans.filter((span) => span.traceId === unsampled)).toEqual([])
  expect((await testEnv.client.get('/metrics')).text).toMatch(/^rollkey_trace_spans_total\{outcome="exported"\} [1-9]/m)
})
