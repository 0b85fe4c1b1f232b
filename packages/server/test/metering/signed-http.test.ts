import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SignedHttpReceiver } from '../../src/metering/billing/signed-http.ts'
import { signatureOf } from '../../src/upstream/standard-webhooks.ts'
import { FakeSignedHttp, signingSecret } from '../../testkit/billing.ts'
import { TestClock } from '../../testkit/clock.ts'
import { billingReceiverSuite, report } from './billing-receiver.suite.ts'

async function opened(clock: TestClock) {
  const fakeServer = new FakeSignedHttp(clock)
  await fakeServer.start()
  const at = (url: string) => new SignedHttpReceiver({ url, secret: signingSecret, clock })
  return { receiver: at(`${fakeServer.url}/usage?from=rollkey`), fakeServer, at, secret: signingSecret }
}

billingReceiverSuite('signed HTTP', opened)

type Verify = (headers: Record<string, unknown>, body: string, secret: string, nowMs: number) => boolean

/** The function that docs/billing.md shows. */
async function documentedVerify(): Promise<Verify> {
  const page = readFileSync(new URL('../../../../docs/billing.md', import.meta.url), 'utf8')
  const [, code] = /```js\n([\s\S]+?)\n```/.exec(page) ?? []
  const module = (await import(`data:text/javascript,${encodeURIComponent(code ?? '')}`)) as { verify: Verify }
  return module.verify
}

describe('signed HTTP', () => {
  async function sent() {
    const clock = new TestClock()
    clock.freezeAt(report.atMs + 1_500)
    const { receiver, fakeServer } = await opened(clock)
    onTestFinished(() => fakeServer.stop())
    await receiver.send({ ...report, customer: null }, AbortSignal.timeout(5_000))
    const [request] = fakeServer.requests as [(typeof fakeServer.requests)[0]]
    return { ...request, clock, receiver, fakeServer }
  }

  test('signs as Standard Webhooks: the vector of its reference implementations', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1_614_265_330, body: '{"test": 2432232314}' }
    expect(signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  test('sends the id, the time of the attempt and what was used', async () => {
    const { path, headers, body } = await sent()
    expect(path).toBe('/usage?from=rollkey')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': report.id,
      'webhook-timestamp': String(Math.floor(report.atMs / 1_000) + 1),
    })
    expect(JSON.parse(body)).toEqual({
      type: 'usage.recorded',
      timestamp: '2026-11-21T11:59:00.000Z',
      data: {
        id: report.id,
        organization: 'acme',
        organizationId: 'org_1',
        customer: null,
        meter: 'evaluations',
        period: '2026-11',
        units: 30,
        atMs: report.atMs,
      },
    })
  })

  test('is verified by the lines of the documentation, which refuse what is changed, old or of another', async () => {
    const verify = await documentedVerify()
    const { headers, body, clock } = await sent()
    const now = clock.now()
    expect(verify(headers, body, signingSecret, now)).toBe(true)
    expect(
      verify(
        { ...headers, 'webhook-signature': `v1,AAAA ${String(headers['webhook-signature'])}` },
        body,
        signingSecret,
        now,
      ),
    ).toBe(true)
    expect(verify(headers, body.replace('30', '31'), signingSecret, now)).toBe(false)
    expect(verify({ ...headers, 'webhook-id': 'other' }, body, signingSecret, now)).toBe(false)
    expect(verify({ ...headers, 'webhook-signature': 'v1,AAAA' }, body, signingSecret, now)).toBe(false)
    expect(verify({}, body, signingSecret, now)).toBe(false)
    expect(verify(headers, body, `whsec_${Buffer.alloc(32, 8).toString('base64')}`, now)).toBe(false)
    expect(verify(headers, body, signingSecret, now + 301_000)).toBe(false)
  })

  test.each([400, 404, 410, 422])('a receiver that answers %i gets it again: nothing is set aside', async (status) => {
    const { receiver, fakeServer } = await sent()
    fakeServer.failureMode = { status }
    const outcome = await receiver.send(report, AbortSignal.timeout(5_000))
    expect(outcome).toEqual({ kind: 'unknown', reason: `status ${status}` })
  })
})
