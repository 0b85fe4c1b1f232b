/**
 * Stripe's billing meters, API v1 "Create a billing meter event". An identifier is unique for a rolling period of at
 * least 24 hours; a repeated one is refused with 400. An Idempotency-Key would add nothing but answer for a day what it
 * answered first, 500 included.
 */
import { boundedText } from '../../base/bounded-body.ts'
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

  /** `eventName`: of the meter; `baseUrl`: of a stand-in. */
  constructor(parts: { eventName: string; key: string; baseUrl?: string }) {
    this.#eventName = parts.eventName
    this.#key = parts.key
    this.#url = `${parts.baseUrl ?? 'https://api.stripe.com'}/v1/billing/meter_events`
  }

  async send(report: UsageReport, signal: AbortSignal): Promise<Outcome> {
    // Of a report that was made for a receiver that needs none; a retry takes the customer that is set by then.
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
  const requestId = textLike(/^req_\w{1,64}$/, answer.headers.get('request-id'))
  const type = textLike(/^[a-z_]{1,64}$/, error.type)
  const code = textLike(/^[a-z_]{1,64}$/, error.code) ?? type
  const reason = [`status ${status}`, code, requestId].filter((part) => part !== undefined).join(' ')
  // A key that is wrong or may not, and too many requests: to be mended by the operator, or by waiting.
  if ([401, 403, 429].includes(status)) return { kind: 'not-received', reason }
  // 409 is two requests at once for one customer; what is no error of Stripe's form may be of a proxy in between.
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

/** The code is documented, but many have seen the message without it. */
function isRepeated({ code, message }: StripeError, id: string): boolean {
  return code === 'duplicate_meter_event' || String(message).startsWith(`An event already exists with identifier ${id}`)
}

function textLike(pattern: RegExp, text: unknown): string | undefined {
  return typeof text === 'string' && pattern.test(text) ? text : undefined
}
