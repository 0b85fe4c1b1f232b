/** Tests turns of expensive work: long lists take them, short ones do not wait, and who has left does not. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { endpoints } from '@rollkey/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FairQueue } from '../src/concurrency/fair-queue.ts'
import { secret } from '../testkit/entries.ts'
import { newOwner, useTestEnv, write } from '../testkit/test-env.ts'

const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0' })

/** Lets no request have a turn of expensive work before `open`. `waiting` resolves once one waits for its turn. */
function holdTurns(): { readonly waiting: Promise<void>; readonly open: () => void } {
  const [waiting, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const begin = vi.spyOn(FairQueue.prototype, 'begin').mockImplementation(async () => {
    waiting.resolve()
    await gate.promise
    return () => {}
  })
  onTestFinished(() => {
    gate.resolve()
    begin.mockRestore()
  })
  return { waiting: waiting.promise, open: gate.resolve }
}

test.each(['list', 'manifest'] as const)(
  '%s of a stage waits for a turn with more than 1,000 variables',
  async (name) => {
    const tenant = await newOwner(testEnv)
    const entries = Array.from({ length: 1_001 }, (_, index) => secret(`N${index}`, 'v'))
    const small = { ...tenant.at, stageSlug: 'small' }
    await write(testEnv, { ...tenant, at: small }, entries.slice(0, 1_000))
    await write(testEnv, tenant, entries.slice(0, 1_000))
    await write(testEnv, tenant, entries.slice(1_000))
    const { waiting, open } = holdTurns()
    let isAnswered = false
    const sent = testEnv.client.must(name, tenant.at, tenant).then(() => (isAnswered = true))
    await Promise.race([waiting, sent])
    await testEnv.client.must(name, small, tenant)
    expect(isAnswered).toBe(false)
    open()
    await sent
  },
)

test('the list of projects waits for a turn with more than 200 stages', async () => {
  const [many, few] = [await newOwner(testEnv), await newOwner(testEnv)]
  const create = (tenant: typeof many, projectSlug: string, stages: number) =>
    testEnv.client.must(
      'projectCreate',
      {
        orgSlug: tenant.at.orgSlug,
        projectSlug,
        stages: Array.from({ length: stages }, (_, index) => ({ stageSlug: `s${index}` })),
      },
      tenant,
    )
  for (const tenant of [many, few]) for (let index = 0; index < 10; index++) await create(tenant, `p${index}`, 20)
  await create(many, 'another', 1)
  const list = ({ at: { orgSlug }, token }: typeof many) => testEnv.client.must('projects', { orgSlug }, { token })
  const { waiting, open } = holdTurns()
  let isAnswered = false
  const sent = list(many).then(() => (isAnswered = true))
  await Promise.race([waiting, sent])
  await list(few)
  expect(isAnswered).toBe(false)
  open()
  await sent
})

test('a request whose client has left does not begin its work when its turn comes', async () => {
  const { at, token } = await newOwner(testEnv)
  const { waiting, open } = holdTurns()
  const closed = Promise.withResolvers<void>()
  const watch = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.url === endpoints.search.path) response.once('close', closed.resolve)
  }
  subscribe('http.server.request.start', watch)
  onTestFinished(() => void unsubscribe('http.server.request.start', watch))
  const client = new AbortController()
  const sent = fetch(testEnv.app.url + endpoints.search.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ orgSlug: at.orgSlug, query: 'A' }),
    signal: client.signal,
  })
  await waiting
  client.abort()
  await expect(sent).rejects.toThrow('aborted')
  await closed.promise
  open()
  const answered = /^rollkey_requests_total\{endpoint="search",status="(\d+)"\} 1$/m
  await expect.poll(async () => (await testEnv.client.get('/metrics')).text).toMatch(answered)
  expect(answered.exec((await testEnv.client.get('/metrics')).text)?.[1]).toBe('499')
})
