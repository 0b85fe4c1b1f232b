import { describe, expect, test } from 'vitest'
import { loginOn, type DeviceCode, type LoginOptions, type TokenPair } from '../src/device.ts'
import { refreshTokens } from '../src/index.ts'
import { refusal } from '../testkit/fetch.ts'
import { TestHost } from '../testkit/host.ts'

const pair: TokenPair = {
  accessToken: 'svc_at_x',
  refreshToken: 'svc_rt_x',
  accessTokenExpiresAtMs: 1,
  refreshTokenExpiresAtMs: 2,
}
const code = {
  userCode: 'ABCD2345',
  verificationUri: 'https://host/activate',
  verificationUriComplete: 'https://host/activate?c',
}
const started = (): Response =>
  Response.json({ ...code, deviceCode: 'svc_dc_x', expiresInSec: 600, intervalSec: 5, requestId: 'r' })
const pending = (): Response => Response.json({ status: 'pending', requestId: 'r' })
const approved = (): Response => Response.json({ status: 'approved', ...pair, requestId: 'r' })

interface Login {
  readonly host: TestHost
  readonly shown: DeviceCode[]
  readonly bodies: string[]
  readonly result: Promise<TokenPair>
}

function login(answers: (() => Response)[], more: Partial<LoginOptions> = {}): Login {
  const host = new TestHost({ isHasty: true })
  const shown: DeviceCode[] = []
  const bodies: string[] = []
  const scripted: typeof fetch = async (_, init) => {
    bodies.push(init?.body as string)
    const answer = answers.shift()
    if (!answer) throw new TypeError('fetch failed')
    return answer()
  }
  const onCode = (polls: DeviceCode): void => void shown.push(polls)
  return { host, shown, bodies, result: loginOn({ url: 'https://host', fetch: scripted, onCode, ...more }, host) }
}

describe('a login', () => {
  test('shows the code and polls at the interval until it is approved', async () => {
    const { result, shown, bodies, host } = login([started, pending, pending, approved], { clientName: 'laptop' })
    expect(await result).toEqual(pair)
    expect(shown).toEqual([{ ...code, expiresAtMs: Date.UTC(2026, 0, 1) + 600_000 }])
    expect(bodies[0]).toBe('{"clientName":"laptop"}')
    expect(bodies.slice(1)).toEqual(Array.from({ length: 3 }, () => '{"deviceCode":"svc_dc_x"}'))
    expect(host.waits).toEqual([5_000, 5_000])
  })

  test('continues while the service cannot be reached', async () => {
    const unreachable = (): Response => {
      throw new TypeError('fetch failed')
    }
    const { result } = login([started, unreachable, () => refusal(503, 'SERVICE_UNAVAILABLE'), approved])
    expect(await result).toEqual(pair)
  })

  test('ends if it was denied or not approved in time', async () => {
    const { result } = login([started, pending, () => refusal(410, 'DEVICE_CODE_EXPIRED')])
    await expect(result).rejects.toMatchObject({ code: 'DEVICE_CODE_EXPIRED' })
  })

  test('ends if the service cannot be reached until the code expires', async () => {
    const { result, bodies } = login([started])
    await expect(result).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(bodies).toHaveLength(2 + 600 / 5)
  })

  test('ends by its signal', async () => {
    const ending = new AbortController()
    const { result } = login([started, pending], { signal: ending.signal, onCode: () => ending.abort() })
    await expect(result).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(login([started], { signal: AbortSignal.abort() }).result).rejects.toMatchObject({ code: 'CLOSED' })
  })
})

test('a refresh is sent once, and a lost answer is reported', async () => {
  let polls = 0
  const losing: typeof fetch = () => {
    polls++
    return Promise.reject(new TypeError('fetch failed'))
  }
  const refresh = refreshTokens({ url: 'https://host', refreshToken: 'svc_rt_x', fetch: losing })
  await expect(refresh).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(polls).toBe(1)
})
