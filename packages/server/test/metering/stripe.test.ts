import { describe, expect, onTestFinished, test } from 'vitest'
import { StripeReceiver } from '../../src/metering/billing/stripe.ts'
import { FakeStripe, stripeKey, stripeMeter } from '../../testkit/billing.ts'
import { TestClock } from '../../testkit/clock.ts'
import { billingReceiverSuite, report } from './billing-receiver.suite.ts'

const at = (baseUrl: string, key = stripeKey): StripeReceiver =>
  new StripeReceiver({ eventName: stripeMeter, key, baseUrl })

async function opened(clock: TestClock) {
  const fakeServer = new FakeStripe(clock)
  fakeServer.customers.add('cus_1')
  await fakeServer.start()
  return { receiver: at(fakeServer.url), fakeServer, at, secret: stripeKey }
}

billingReceiverSuite('Stripe', opened)

describe('Stripe', () => {
  async function standing() {
    const clock = new TestClock()
    clock.freezeAt(report.atMs)
    const found = await opened(clock)
    onTestFinished(() => found.fakeServer.stop())
    const send = (more: object = {}, receiver = found.receiver) =>
      receiver.send({ ...report, ...more }, AbortSignal.timeout(5_000))
    return { ...found, clock, send }
  }

  test('is sent what its reference asks for', async () => {
    const { send, fakeServer } = await standing()
    await send()
    const [{ method, path, headers, body }] = fakeServer.requests as [(typeof fakeServer.requests)[0]]
    expect([method, path]).toEqual(['POST', '/v1/billing/meter_events'])
    expect(headers).toMatchObject({
      authorization: `Bearer ${stripeKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': '2025-04-30.basil',
    })
    expect(headers['idempotency-key']).toBeUndefined()
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      event_name: stripeMeter,
      identifier: report.id,
      timestamp: String(report.atMs / 1_000),
      'payload[stripe_customer_id]': 'cus_1',
      'payload[value]': '30',
    })
  })

  test.each([true, false])('says of a repeated identifier that it has it; with its code: %s', async (hasCode) => {
    const { send, fakeServer } = await standing()
    fakeServer.hasCode = hasCode
    await send()
    expect(await send()).toEqual({ kind: 'delivered' })
    expect(fakeServer.bills).toHaveLength(1)
  })

  test.each([
    [{ customer: 'cus_other' }, 'status 400 resource_missing req_StandIn1'],
    [{ id: 'x'.repeat(101) }, 'status 400 parameter_invalid req_StandIn1'],
    [{ atMs: report.atMs - 36 * 86_400_000 }, 'status 400 timestamp_too_far_in_past req_StandIn1'],
    [{ customer: null }, 'no customer'],
  ])('refuses for good what it cannot take: %j', async (wrong, reason) => {
    const { send, fakeServer } = await standing()
    expect(await send(wrong)).toEqual({ kind: 'refused', reason })
    expect(fakeServer.bills).toEqual([])
  })

  test('a refusal of something else that speaks of an identifier is none of a repeated one', async () => {
    const { send, fakeServer } = await standing()
    const message = 'An event already exists with identifier of another'
    fakeServer.failureMode = { status: 400, body: { error: { type: 'invalid_request_error', message } } }
    expect(await send()).toEqual({ kind: 'refused', reason: 'status 400 invalid_request_error' })
  })

  test.each([400, 404, 422])('an answer %i that is not its own refuses nothing', async (status) => {
    const { send, fakeServer } = await standing()
    fakeServer.failureMode = { status }
    expect(await send()).toEqual({ kind: 'unknown', reason: `status ${status}` })
  })

  test('a key that is wrong is the operator’s to mend: nothing is set aside', async () => {
    const { send, fakeServer } = await standing()
    const outcome = await send({}, at(fakeServer.url, 'sk_test_wrong'))
    expect(outcome).toEqual({ kind: 'not-received', reason: 'status 401 invalid_request_error req_StandIn1' })
  })

  test('recognizes an identifier for a day only', async () => {
    const { receiver } = await standing()
    expect([receiver.recognizesMs, receiver.needsCustomer]).toEqual([86_400_000, true])
  })
})
