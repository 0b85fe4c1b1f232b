import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { refreshTokens, type Client, type RollkeyError } from '../src/index.ts'
import { openBench, refusal, type Bench } from '../testkit/fetch.ts'
import { settled, TestHost } from '../testkit/host.ts'

const variables = { A: 'secret-value' }

/** Retry options with which waits end at once. Each wait has its maximum length. */
function hastyBench(): Bench {
  return openBench({ variables }, { cache: false }, new TestHost({ isHasty: true }))
}

describe('attempts', () => {
  test.each(['BILLING_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'INTERNAL', 'EVALUATION_FAILED'])(
    'follow %s, waiting longer each time, with one request key',
    async (code) => {
      const { client, fates, host, headers } = hastyBench()
      fates.push(refusal(503, code), refusal(503, code), refusal(503, code))
      expect(await client.get('A')).toBe('secret-value')
      expect(host.waits).toEqual([200, 400, 800])
      const keys = headers.map((header) => header.get('x-service-request-key'))
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
      expect(keys).toEqual(keys.map(() => keys[0]))
    },
  )

  test('end after four with the error of the last', async () => {
    const { client, fates, headers } = hastyBench()
    fates.push(...Array.from({ length: 9 }, () => refusal(503, 'SERVICE_UNAVAILABLE')))
    const error = (await client.get('A').catch((reason: unknown) => reason)) as RollkeyError
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, requestId: 'request-1', retry: 'backoff' })
    expect(headers).toHaveLength(4)
  })

  test('wait as long as Retry-After says, up to a limit', async () => {
    const { client, fates, host } = hastyBench()
    fates.push(refusal(429, 'RATE_LIMITED', { 'retry-after': '7' }))
    await client.get('A')
    expect(host.waits).toEqual([7_200])
    fates.push(refusal(429, 'RATE_LIMITED', { 'retry-after': '600' }))
    await expect(client.get('A')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 600_000 })
  })

  test('Retry-After may be a date', async () => {
    const { client, fates, host } = hastyBench()
    const inThreeSeconds = new Date(host.now() + 3_000).toUTCString()
    fates.push(refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': inThreeSeconds }))
    await client.get('A')
    expect(host.waits).toEqual([3_200])
  })

  test.each([
    [429, 'RATE_LIMITED'],
    [502, 'UNREACHABLE'],
    [503, 'UNREACHABLE'],
    [504, 'UNREACHABLE'],
    [522, 'UNREACHABLE'],
  ])('follow a page of a proxy with status %i, and wait as long as its Retry-After says', async (status, code) => {
    const { client, fates, host } = hastyBench()
    const page = (seconds: number): Response => {
      const headers = { 'content-type': 'text/html', 'retry-after': String(seconds) }
      return new Response('<html>\n<h1>nginx</h1>', { status, headers })
    }
    fates.push(page(7))
    expect(await client.get('A')).toBe('secret-value')
    expect(host.waits).toEqual([7_200])
    fates.push(page(600))
    const error = (await client.get('A').catch((reason: unknown) => reason)) as RollkeyError
    expect(error).toMatchObject({ code, status, retryAfterMs: 600_000 })
    expect(error.message).toMatch(
      new RegExp(`^https://rollkey\\.test returned ${status}: the proxy in front of [^<\n]*$`),
    )
  })

  test.each(['VARIABLE_NOT_FOUND', 'FORBIDDEN', 'USAGE_LIMIT_EXCEEDED', 'INVALID_REQUEST'])(
    'do not follow %s',
    async (code) => {
      const { client, fates, headers } = hastyBench()
      fates.push(refusal(400, code))
      await expect(client.get('A')).rejects.toMatchObject({ code, retry: 'no' })
      expect(headers).toHaveLength(1)
    },
  )

  test('follow a timeout', async () => {
    const { client, fates } = openBench({ variables }, { cache: false, timeoutMs: 5 }, new TestHost({ isHasty: true }))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const timeOut = async (times: number): Promise<void> => {
      fates.push(...Array.from({ length: times }, () => 'hung' as const))
      for (let i = 0; i < times; i++) {
        await settled()
        vi.advanceTimersByTime(5)
      }
    }
    const value = client.get('A')
    await timeOut(2)
    expect(await value).toBe('secret-value')
    const [failed] = await Promise.allSettled([client.get('A'), timeOut(4)])
    expect(failed).toMatchObject({
      reason: { message: 'https://rollkey.test did not answer within 5 ms. Check the service and the network.' },
    })
  })

  test('are limited to one with retry: false', async () => {
    const { client, fates } = openBench({ variables }, { cache: false, retry: false })
    fates.push('refused')
    await expect(client.get('A')).rejects.toThrow(
      'https://rollkey.test cannot be reached (ECONNREFUSED): nothing listens there. ',
    )
  })
})

describe('after a lost answer', () => {
  const entries = [{ name: 'B', kind: 'secret', value: 'x' }] as const
  const calls: [string, (client: Client) => Promise<unknown>, attempts: number][] = [
    ['a read', (client) => client.pull(), 2],
    ['an upsert', (client) => client.write({ entries }), 2],
    ['a create', (client) => client.write({ entries, mode: 'create_only' }), 1],
    ['a write at a revision', (client) => client.write({ entries, ifRevision: 1 }), 1],
    ['making a token', (client) => client.tokens.create({ name: 'ci' }), 1],
    ['rotating a token', (client) => client.tokens.rotate('tok_x'), 1],
    ['making a client key', (client) => client.manage.keys.create({ name: 'web', origins: [] }), 1],
    ['proposing a change', (client) => client.manage.changes.propose({ reason: 'why', entries }), 1],
    ['applying a change', (client) => client.manage.changes.apply({ id: 'chg_x' }), 1],
    ['making a project', (client) => client.manage.project.create(), 1],
    ['making a stage', (client) => client.manage.stage.create(), 1],
    ['setting a role', (client) => client.manage.roles.set({ name: 'auditor', verbs: ['list'] }), 2],
    ['a restore', (client) => client.restore(1), 2],
    ['a logout', (client) => client.session.end('svc_rt_x'), 1],
  ]

  test.each(calls)('%s is sent again only if a repetition is harmless', async (_, call, attempts) => {
    for (const fate of ['lost', refusal(503, 'SERVICE_UNAVAILABLE'), refusal(503, 'BILLING_UNAVAILABLE')] as const) {
      const { client, fates, headers } = hastyBench()
      fates.push(fate)
      await Promise.allSettled([call(client)])
      expect(headers).toHaveLength(attempts)
    }
  })

  test.each(calls)('%s is sent again if the service says that it was not processed', async (_, call) => {
    const { client, fates, headers } = hastyBench()
    fates.push(refusal(429, 'RATE_LIMITED'))
    await Promise.allSettled([call(client)])
    expect(headers).toHaveLength(2)
  })

  test('a refresh token is not sent again, because it may be used up', async () => {
    const sent = vi.fn<typeof fetch>().mockRejectedValue(new TypeError('fetch failed'))
    const options = { url: 'https://rollkey.test', refreshToken: 'svc_rt_x', fetch: sent }
    await expect(refreshTokens(options)).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(sent).toHaveBeenCalledOnce()
  })
})

describe('an answer that is not from the service', () => {
  test.each([
    ['a page', new Response('<h1>hello</h1>'), 'INVALID_ANSWER', 200],
    ['JSON of something else', Response.json({ value: 'x' }), 'INVALID_ANSWER', 200],
    ['an error of something else', Response.json({ error: 'no' }, { status: 404 }), 'INVALID_ANSWER', 404],
    ['an error code by a name that every object has', refusal(400, 'constructor'), 'INVALID_ANSWER', 400],
    ['a redirect', new Response(null, { status: 302, headers: { location: '/' } }), 'INVALID_ANSWER', 302],
    ['a proxy without the service', new Response('bad gateway', { status: 502 }), 'UNREACHABLE', 502],
  ])('%s is a separate error', async (_, answer, code, status) => {
    const { client, fates } = openBench({ variables }, { cache: false, retry: false })
    fates.push(answer)
    await expect(client.get('A')).rejects.toMatchObject({ code, status })
  })

  test.each([200, 403])('a web page with status %i says that the address is not a service', async (status) => {
    const { client, fates } = openBench({ variables }, { cache: false })
    fates.push(new Response('<h1>Sign in</h1>', { status, headers: { 'content-type': 'text/html; charset=utf-8' } }))
    await expect(client.get('A')).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
      message: `https://rollkey.test returned a web page with status ${status}, not an answer of a Rollkey service. Correct the address, or sign in to the network.`,
    })
  })

  test.each([
    ['a type that is not known', { value: 'x', declaredType: 'constructor' }],
    ['no text', { value: 5 }],
  ])('a value of %s is refused', async (_, wrong) => {
    const { client, fates } = openBench({ variables }, { cache: false })
    fates.push(Response.json({ name: 'A', kind: 'secret', ...wrong, requestId: 'r' }))
    await expect(client.get('A')).rejects.toMatchObject({ code: 'INVALID_ANSWER' })
  })

  test('a value that does not match its type is refused without being quoted', async () => {
    const { client, fates } = openBench({ variables }, { cache: false })
    const answer = { name: 'A', kind: 'secret', value: 'secret-value', declaredType: 'int64', requestId: 'r' }
    fates.push(Response.json(answer))
    const error = (await client.get('A').catch((reason: unknown) => reason)) as Error
    expect(error).toMatchObject({
      code: 'INVALID_ANSWER',
      message: 'The value of "A" cannot be parsed as int64, its declared type.',
    })
    expect(String(error.cause)).not.toContain('secret-value')
  })
})

test('a closed client aborts calls in progress and refuses later ones', async () => {
  const { client, fates } = openBench({ variables }, { cache: false })
  fates.push('hung')
  const hanging = client.get('A')
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  client.for({ seed: 'u' }).close()
  await expect(hanging).rejects.toMatchObject({ code: 'CLOSED', retry: 'no' })
  await expect(client.get('A')).rejects.toMatchObject({ code: 'CLOSED' })
})
