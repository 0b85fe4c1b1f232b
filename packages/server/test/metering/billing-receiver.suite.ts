/** Tests that every adapter of a billing system must pass over real HTTP (src/metering/billing/receiver.ts). */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { BillingReceiver, Outcome, UsageReport } from '../../src/metering/billing/receiver.ts'
import type { FakeBilling } from '../../testkit/billing.ts'
import { TestClock } from '../../testkit/clock.ts'
import type { FailureMode } from '../../testkit/fake-server.ts'

export interface ReceiverUnderTest {
  readonly receiver: BillingReceiver
  readonly fakeServer: FakeBilling
  /** The receiver of a system at another address. */
  readonly at: (url: string) => BillingReceiver
  readonly secret: string
}

export type OpenReceiver = (clock: TestClock) => Promise<ReceiverUnderTest>

const nowMs = Date.UTC(2026, 10, 21, 12)

export const report: UsageReport = {
  id: 'org_1.2026-11.120-150',
  orgId: 'org_1',
  organization: 'acme',
  customer: 'cus_1',
  period: '2026-11',
  units: 30,
  atMs: nowMs - 60_000,
}

export function billingReceiverSuite(name: string, open: OpenReceiver): void {
  async function opened() {
    const clock = new TestClock()
    clock.freezeAt(nowMs)
    const found = await open(clock)
    onTestFinished(() => found.fakeServer.stop())
    const send = (to = found.receiver, timeoutMs = 5_000): Promise<Outcome> =>
      to.send(report, AbortSignal.timeout(timeoutMs))
    return { ...found, clock, send }
  }

  describe(`${name}: a report`, () => {
    test('is delivered with its units, time and customer', async () => {
      const { send, fakeServer } = await opened()
      expect(await send()).toEqual({ kind: 'delivered' })
      expect(fakeServer.bills).toEqual([{ id: report.id, units: 30, customer: 'cus_1', atMs: report.atMs }])
    })

    test('that comes again is delivered, and billed once', async () => {
      const { send, fakeServer, clock } = await opened()
      for (let times = 0; times < 3; times++) {
        expect(await send()).toEqual({ kind: 'delivered' })
        clock.advance(60 * 60_000)
      }
      expect(fakeServer.bills).toHaveLength(1)
      const [first, ...others] = fakeServer.requests.map(({ body }) => body)
      expect(others).toEqual([first, first])
    })

    test.each<FailureMode>(['works and hangs', 'works and fails'])(
      'whose answer is lost (%s) is unknown, then delivered, and billed once',
      async (failureMode) => {
        const { send, receiver, fakeServer } = await opened()
        fakeServer.failureMode = failureMode
        expect(await send(receiver, 300)).toMatchObject({ kind: 'unknown' })
        fakeServer.failureMode = 'works'
        expect(await send()).toEqual({ kind: 'delivered' })
        expect(fakeServer.bills).toHaveLength(1)
      },
    )
  })

  describe(`${name}: a receiver`, () => {
    test.each<FailureMode>(['hangs', 'resets', { status: 500 }, { status: 503 }, { status: 409 }, { status: 408 }])(
      'that may have got it (%j) is unknown',
      async (failureMode) => {
        const { send, receiver, fakeServer } = await opened()
        fakeServer.failureMode = failureMode
        const { kind, reason } = (await send(receiver, 300)) as { kind: string; reason: string }
        expect([kind, reason.length > 0]).toEqual(['unknown', true])
      },
    )

    test('that does not exist has certainly not received it', async () => {
      const { send, fakeServer, at } = await opened()
      await fakeServer.stop()
      expect(await send()).toEqual({ kind: 'not-received', reason: 'ECONNREFUSED' })
      expect(await send(at('http://nowhere.invalid'))).toMatchObject({ kind: 'not-received' })
      await fakeServer.start()
      expect(await send()).toEqual({ kind: 'delivered' })
    })

    test.each([401, 403, 429])('that answers %i gets it again', async (status) => {
      const { send, fakeServer } = await opened()
      fakeServer.failureMode = { status }
      expect(['not-received', 'unknown']).toContain((await send()).kind)
    })

    test('that redirects is not followed', async () => {
      const { send, fakeServer } = await opened()
      const other = await open(new TestClock())
      onTestFinished(() => other.fakeServer.stop())
      fakeServer.failureMode = { status: 307, headers: { location: other.fakeServer.url } }
      expect(await send()).toMatchObject({ kind: 'unknown', reason: 'status 307' })
      expect(other.fakeServer.requests).toEqual([])
    })

    test('is quoted by what cannot hold a secret', async () => {
      const { send, fakeServer, secret } = await opened()
      for (const text of [secret, `${secret} ${'x'.repeat(100_000)}`, 'No such customer']) {
        fakeServer.failureMode = {
          status: 400,
          headers: { 'request-id': text.slice(0, 100) },
          body: { error: { code: text, type: text } },
        }
        const { reason } = (await send()) as { reason: string }
        expect(reason).toBe('status 400')
      }
    })
  })
}
