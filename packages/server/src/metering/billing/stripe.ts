/**
 * Stripe's billing meters, API v1 "Create a billing meter event". An identifier is unique for a rolling period of at
 * least 24 hours, and Stripe refuses a repeated one with 400. An Idempotency-Key would only repeat the first response for a
 * day, even a 500.
 */
import { boundedText } from '../../upstream/bounded-body.ts'
import { discardBody, post } from './post.ts'
import type { BillingReceiver, Outcome, UsageReport } from './receiver.ts'

const version = '2025-04-30.basil'
const maxErrorBytes = 64 * 1024

export class StripeReceiver implements BillingReceiver {
  readonly recognizesMs = 24 * 60 * 60_000
  readonly needsCustomer = true
  readonly #eventName: string
  readonly #key: string
  readonly #url: string

  /** `eventName` is the event name of the meter, `baseUrl` the address of a fake server in tests. */
  constructor(parts: { eventName: string; key: string; baseUrl?: string }) {
    this.#eventName = parts.eventName
    this.#key = parts.key
    this.#url = `${parts.baseUrl ?? 'https://api.stripe.com'}/v1/billing/meter_events`
  }

  async send(report: UsageReport, signal: AbortSignal): Promise<Outcome> {
    // The report was made for a receiver that needs no customer. A retry uses the customer that is set by then.
    if (report.customer === null) return { kind: 'refused', reason: 'no customer' }
    const body = new URLSearchParams({
      event_name: this.#eventName,
      identifier: report.id,
      timestamp: String(Math.floor(report.atMs / 1_000)),
      'payload[stripe_customer_id]': report.customer,
      'payload[value]': String(report.units),
    })
    const headers = {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': version,
    }
    const answer = await post(this.#url, { headers, body: body.toString(), signal })
    return answer instanceof Response ? outcomeOf(answer, report.id) : answer
  }
}

async function outcomeOf(answer: Response, id: string): Promise<Outcome> {
  if (answer.ok) {
    discardBody(answer)
    return { kind: 'delivered' }
  }
  const { status } = answer
  const error = errorOf(await boundedText(answer, maxErrorBytes).catch(() => ''))
  if (status === 400 && isRepeated(error, id)) return { kind: 'delivered' }
  const requestId = textMatching(/^req_\w{1,64}$/, answer.headers.get('request-id'))
  const type = textMatching(/^[a-z_]{1,64}$/, error.type)
  const code = textMatching(/^[a-z_]{1,64}$/, error.code) ?? type
  const reason = [`status ${status}`, code, requestId].filter((part) => part !== undefined).join(' ')
  // A wrong key, a key without the permission, or too many requests: the operator or time can resolve these.
  if ([401, 403, 429].includes(status)) return { kind: 'not-received', reason }
  // 409 means two concurrent requests for one customer. An error without Stripe's format may come from a proxy.
  const isRefused = status >= 400 && status < 500 && status !== 409 && type !== undefined
  return { kind: isRefused ? 'refused' : 'unknown', reason }
}

interface StripeError {
  readonly code?: unknown
  readonly type?: unknown
  readonly message?: unknown
}

function errorOf(text: string): StripeError {
  try {
    return (JSON.parse(text) as { error?: StripeError } | null)?.error ?? {}
  } catch {
    return {}
  }
}

/** Returns whether Stripe has the report already. The code is documented, but the message is often sent without it. */
function isRepeated({ code, message }: StripeError, id: string): boolean {
  return code === 'duplicate_meter_event' || String(message).startsWith(`An event already exists with identifier ${id}`)
}

function textMatching(pattern: RegExp, text: unknown): string | undefined {
  return typeof text === 'string' && pattern.test(text) ? text : undefined
}
