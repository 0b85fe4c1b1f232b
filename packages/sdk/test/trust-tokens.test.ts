/** Exchanges of an ID token: how often, what is sent, and which error each refusal becomes. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { trustTokens } from '../src/index.ts'
import type { Fetch } from '../src/transport.ts'

const url = 'https://rollkey.example'

let sent: { readonly url: string; readonly body: URLSearchParams }[]
/** Answers of the next exchanges, in order. Each later exchange succeeds. */
let answers: (Response | 'unreachable')[]

const fetch: Fetch = async (address, { body }) => {
  sent.push({ url: address, body: new URLSearchParams(body ?? '') })
  const answer = answers.shift() ?? granted(`svc_at_${sent.length}`)
  if (answer === 'unreachable') throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
  return answer
}

function granted(token: string, seconds = 900): Response {
  return Response.json({ access_token: token, token_type: 'Bearer', expires_in: seconds })
}

function refused(status: number, error: string, description: string, headers = {}): Response {
  return Response.json({ error, error_description: description }, { status, headers })
}

beforeEach(() => {
  sent = []
  answers = []
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => vi.useRealTimers())

const tokensOf = (idToken: () => string | Promise<string> = () => 'id.token.here\n') =>
  trustTokens({ url, trust: 'tru_1', idToken, fetch })

const minute = 60_000

describe('an access token', () => {
  test('is exchanged for the ID token of the platform', async () => {
    expect(await tokensOf().token()).toBe('svc_at_1')
    expect(sent[0]?.url).toBe(`${url}/oauth/token`)
    expect(Object.fromEntries(sent[0]?.body ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: 'tru_1',
      subject_token: 'id.token.here',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    })
  })

  test('is exchanged once for requests at the same time, and not again until a minute before its end', async () => {
    const tokens = tokensOf()
    expect(await Promise.all([tokens.token(), tokens.token(), tokens.token()])).toEqual(Array(3).fill('svc_at_1'))
    vi.advanceTimersByTime(14 * minute - 1)
    expect(await tokens.token()).toBe('svc_at_1')
    vi.advanceTimersByTime(1)
    expect(await tokens.token()).toBe('svc_at_2')
  })

  test('of a short lifetime is used for most of it', async () => {
    answers.push(granted('short', 60))
    const tokens = tokensOf()
    expect(await tokens.token()).toBe('short')
    vi.advanceTimersByTime(48_000 - 1)
    expect(await tokens.token()).toBe('short')
    vi.advanceTimersByTime(1)
    expect(await tokens.token()).toBe('svc_at_2')
  })

  test('is used until its end if the next exchange fails, with a try every 10 seconds', async () => {
    const tokens = tokensOf()
    await tokens.token()
    vi.advanceTimersByTime(14 * minute)
    answers.push('unreachable', refused(503, 'temporarily_unavailable', 'Try again later.'), 'unreachable')
    for (let i = 0; i < 5; i++) expect(await tokens.token()).toBe('svc_at_1')
    expect(sent).toHaveLength(2)
    vi.advanceTimersByTime(10_000)
    expect(await tokens.token()).toBe('svc_at_1')
    expect(sent).toHaveLength(3)
    vi.advanceTimersByTime(minute)
    await expect(tokens.token()).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(await tokens.token()).toBe('svc_at_5')
  })

  test('that the service refuses is replaced once for all who hold it', async () => {
    const tokens = tokensOf()
    const token = await tokens.token()
    const renewed = await Promise.all([tokens.renew?.(token), tokens.renew?.(token)])
    expect(renewed).toEqual(['svc_at_2', 'svc_at_2'])
    expect(await tokens.renew?.(token)).toBe('svc_at_2')
    expect(sent).toHaveLength(2)
  })
})

describe('a refusal', () => {
  test.each([
    [
      refused(400, 'invalid_grant', 'The claim ref does not match.'),
      'EXCHANGE_REFUSED',
      'The claim ref does not match.',
    ],
    [refused(401, 'invalid_client', 'No.'), 'EXCHANGE_REFUSED', 'refused the ID token (invalid_client): No.'],
    [refused(429, 'slow_down', 'Wait.', { 'retry-after': '3' }), 'RATE_LIMITED', 'Wait.'],
    [refused(503, 'temporarily_unavailable', 'Later.'), 'SERVICE_UNAVAILABLE', 'Later.'],
    [new Response('<html>', { status: 404 }), 'INVALID_ANSWER', 'returned 404'],
    [new Response('', { status: 502 }), 'UNREACHABLE', 'the proxy in front'],
    [Response.json({ token_type: 'Bearer' }), 'INVALID_ANSWER', 'returned 200'],
    [new Response(null, { status: 302 }), 'INVALID_ANSWER', 'redirects'],
  ])('%# is an error that says why, without the ID token', async (answer, code, text) => {
    answers.push(answer)
    const error = (await tokensOf()
      .token()
      .catch((reason: unknown) => reason)) as Error
    expect(error).toMatchObject({ code })
    expect(error.message).toContain(text)
    expect(error.message).not.toContain('id.token')
  })

  test('says how long to wait and which request it was', async () => {
    answers.push(refused(429, 'slow_down', 'Wait.', { 'retry-after': '3', 'x-request-id': 'r1' }))
    await expect(tokensOf().token()).rejects.toMatchObject({ retryAfterMs: 3_000, requestId: 'r1', status: 429 })
  })

  test('of the platform is passed on, and the next request asks again', async () => {
    const idToken = vi.fn<() => string>(() => {
      throw new Error('no identity')
    })
    const tokens = tokensOf(idToken)
    await expect(tokens.token()).rejects.toThrow('no identity')
    idToken.mockReturnValue('id')
    expect(await tokens.token()).toBe('svc_at_1')
  })
})

test('a malformed address is refused without being quoted', async () => {
  const tokens = trustTokens({ url: 'http://user:pass@host', trust: 'tru_1', idToken: () => 'id', fetch })
  const error = (await tokens.token().catch((reason: unknown) => reason)) as Error
  expect(error).toMatchObject({ code: 'INVALID_SETTING' })
  expect(error.message).not.toContain('pass')
  expect(sent).toEqual([])
})
