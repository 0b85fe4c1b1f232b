/** What an adapter of a billing system must do (src/metering/billing/receiver.ts). Every one runs it over real HTTP. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { BillingReceiver, Outcome, UsageReport } from '../../src/metering/billing/receiver.ts'
import type { BillingStandIn } from '../../testkit/billing.ts'
import { TestClock } from '../../testkit/clock.ts'
import type { Mood } from '../../testkit/stand-in.ts'

export interface ReceiverUnderTest {
  readonly receiver: BillingReceiver
  readonly standIn: BillingStandIn
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
    onTestFinished(() => found.standIn.stop())
    const send = (to = found.receiver, timeoutMs = 5_000): Promise<Outcome> =>
      to.send(report, AbortSignal.timeout(timeoutMs))
    return { ...found, clock, send }
  }

  describe(`${name}: a report`, () => {
    test('is delivered: so many units, when, to whom', async () => {
      const { send, standIn } = await opened()
      expect(await send()).toEqual({ kind: 'delivered' })
      expect(standIn.bills).toEqual([{ id: report.id, units: 30, customer: 'cus_1', atMs: report.atMs }])
    })

    test('that comes again is delivered, and billed once', async () => {
      const { send, standIn, clock } = await opened()
      for (let times = 0; times < 3; times++) {
        expect(await send()).toEqual({ kind: 'delivered' })
        clock.advance(60 * 60_000)
      }
      expect(standIn.bills).toHaveLength(1)
      const [first, ...others] = standIn.requests.map(({ body }) => body)
      expect(others).toEqual([first, first])
    })

    test.each<Mood>(['works and hangs', 'works and fails'])(
      'whose answer is lost (%s) is unknown, then delivered, and billed once',
      async (mood) => {
        const { send, receiver, standIn } = await opened()
        standIn.mood = mood
        expect(await send(receiver, 300)).toMatchObject({ kind: 'unknown' })
        standIn.mood = 'works'
        expect(await send()).toEqual({ kind: 'delivered' })
        expect(standIn.bills).toHaveLength(1)
      },
    )
  })

  describe(`${name}: a receiver`, () => {
    test.each<Mood>(['hangs', 'resets', { status: 500 }, { status: 503 }, { status: 409 }, { status: 408 }])(
      'that may have got it (%j) is unknown',
      async (mood) => {
        const { send, receiver, standIn } = await opened()
        standIn.mood = mood
        const { kind, reason } = (await send(receiver, 300)) as { kind: string; reason: string }
        expect([kind, reason.length > 0]).toEqual(['unknown', true])
      },
    )

    test('that nobody is at has surely not got it', async () => {
      const { send, standIn, at } = await opened()
      await standIn.stop()
      expect(await send()).toEqual({ kind: 'not-received', reason: 'ECONNREFUSED' })
      expect(await send(at('http://nowhere.invalid'))).toMatchObject({ kind: 'not-received' })
      await standIn.start()
      expect(await send()).toEqual({ kind: 'delivered' })
    })

    test.each([401, 403, 429])('that answers %i gets it again', async (status) => {
      const { send, standIn } = await opened()
      standIn.mood = { status }
      expect(['not-received', 'unknown']).toContain((await send()).kind)
    })

    test('that sends elsewhere is not followed', async () => {
      const { send, standIn } = await opened()
      const other = await open(new TestClock())
      onTestFinished(() => other.standIn.stop())
      standIn.mood = { status: 307, headers: { location: other.standIn.url } }
      expect(await send()).toMatchObject({ kind: 'unknown', reason: 'status 307' })
      expect(other.standIn.requests).toEqual([])
    })

    test('is quoted by what cannot hold a secret', async () => {
      const { send, standIn, secret } = await opened()
      for (const text of [secret, `${secret} ${'x'.repeat(100_000)}`, 'No such customer']) {
        standIn.mood = {
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
