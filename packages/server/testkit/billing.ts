/** Fake billing systems: real HTTP servers that speak the protocols and record what they would bill. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../src/base/clock.ts'
import { FakeServer, type Reply, type FakeServerRequest } from './fake-server.ts'

const hour = 60 * 60_000
const day = 24 * hour

export interface Bill {
  readonly units: number
  readonly customer: string | null
  readonly atMs: number
}

export abstract class FakeBilling extends FakeServer {
  protected readonly clock: Clock
  /** Everything that it would bill. Two reports with one id count twice. */
  readonly bills: (Bill & { readonly id: string })[] = []

  constructor(clock: Clock) {
    super()
    this.clock = clock
  }

  get units(): number {
    return this.bills.reduce((sum, { units }) => sum + units, 0)
  }
}

export const stripeKey = 'sk_test_51StandIn'
export const stripeMeter = 'rollkey_evaluations'

/** Fake of Stripe's "Create a billing meter event", with its checks. It recognizes identifiers for a day. */
export class FakeStripe extends FakeBilling {
  readonly customers = new Set<string>()
  /** Whether the error of a repeated identifier has its code, as documented, or its message alone, as seen. */
  hasCode = false

  protected take({ method, path, headers, body }: FakeServerRequest): Reply {
    if (headers.authorization !== `Bearer ${stripeKey}`) return refusal(401, { message: 'Invalid API Key provided' })
    if (method !== 'POST' || path !== '/v1/billing/meter_events') return refusal(404, { message: 'Unrecognized URL' })
    if (headers['content-type'] !== 'application/x-www-form-urlencoded' || headers['stripe-version'] === undefined) {
      return refusal(400, { message: 'Not what this account sends' })
    }
    return this.#create(new URLSearchParams(body))
  }

  #create(form: URLSearchParams): Reply {
    const known = ['event_name', 'identifier', 'timestamp', 'payload[stripe_customer_id]', 'payload[value]']
    const unknown = [...form.keys()].filter((name) => !known.includes(name))
    if (unknown.length > 0) return refusal(400, { code: 'parameter_unknown', message: 'Received unknown parameters' })
    const [eventName, id, seconds, customer, value] = known.map((name) => form.get(name) ?? '')
    const atMs = Number(seconds) * 1_000
    if (eventName !== stripeMeter) return refusal(400, { message: `No active meter found for event name ${eventName}` })
    if (!id || id.length > 100) return refusal(400, { code: 'parameter_invalid', message: 'Invalid identifier' })
    if (!customer || !this.customers.has(customer)) {
      return refusal(400, { code: 'resource_missing', message: `No such customer: '${customer}'` })
    }
    if (!/^[0-9]+$/.test(value ?? '')) return refusal(400, { code: 'parameter_invalid_integer', message: 'Bad value' })
    if (!/^[0-9]+$/.test(seconds ?? '') || atMs < this.clock.now() - 35 * day) {
      return refusal(400, { code: 'timestamp_too_far_in_past', message: 'The timestamp is too far in the past' })
    }
    if (atMs > this.clock.now() + 5 * 60_000) {
      return refusal(400, { code: 'timestamp_in_future', message: 'The timestamp is too far in the future' })
    }
    if (this.#recognizes(id)) {
      const code = this.hasCode ? { code: 'duplicate_meter_event' } : {}
      return refusal(400, { ...code, message: `An event already exists with identifier ${id}.` })
    }
    this.#seen.set(id, this.clock.now())
    this.bills.push({ id, units: Number(value), customer, atMs })
    return { status: 200, body: { object: 'billing.meter_event', identifier: id } }
  }

  readonly #seen = new Map<string, number>()

  #recognizes(id: string): boolean {
    return this.clock.now() - (this.#seen.get(id) ?? -Infinity) < day
  }
}

function refusal(status: number, error: { code?: string; message: string }): Reply {
  const headers = { 'request-id': 'req_StandIn1' }
  return { status, headers, body: { error: { type: 'invalid_request_error', ...error } } }
}

export const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A receiver of Standard Webhooks that keeps its promise to bill an id only once, forever. */
export class FakeSignedHttp extends FakeBilling {
  protected take({ headers, body }: FakeServerRequest): Reply {
    if (!isSigned(headers, body, this.clock.now())) return { status: 401 }
    const { type, data } = JSON.parse(body) as { type: string; data: Bill & { id: string; meter: string } }
    if (type !== 'usage.recorded' || data.meter !== 'evaluations' || data.id !== headers['webhook-id']) {
      return { status: 422 }
    }
    const { id, units, customer, atMs } = data
    if (!this.bills.some((bill) => bill.id === id)) this.bills.push({ id, units, customer, atMs })
    return { status: 204 }
  }
}

function isSigned(headers: FakeServerRequest['headers'], body: string, nowMs: number): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers
  if (Math.abs(nowMs / 1_000 - Number(seconds)) > 300) return false
  const expected = createHmac('sha256', Buffer.alloc(32, 7))
    .update(`${String(id)}.${String(seconds)}.${body}`)
    .digest()
  const given = Buffer.from(String(signature).replace(/^v1,/, ''), 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
