/**
 * Any HTTP receiver of Standard Webhooks 1.0 (standardwebhooks.com), signed with a shared secret. The receiver promises to
 * recognize an id forever (docs/billing.md), so a report is sent again after any response other than 2xx.
 */
import type { Clock } from '../../base/clock.ts'
import { signatureOf } from '../../upstream/standard-webhooks.ts'
import { discardBody, post } from './post.ts'
import type { BillingReceiver, Outcome, UsageReport } from './receiver.ts'

function bodyOf({ id, organization, orgId, customer, period, units, atMs }: UsageReport): string {
  return JSON.stringify({
    type: 'usage.recorded',
    timestamp: new Date(atMs).toISOString(),
    data: { id, organization, organizationId: orgId, customer, meter: 'evaluations', period, units, atMs },
  })
}

export class SignedHttpReceiver implements BillingReceiver {
  readonly recognizesMs = Infinity
  readonly needsCustomer = false
  readonly #url: string
  readonly #secret: string
  readonly #clock: Clock

  constructor(parts: { url: string; secret: string; clock: Clock }) {
    this.#url = parts.url
    this.#secret = parts.secret
    this.#clock = parts.clock
  }

  async send(report: UsageReport, signal: AbortSignal): Promise<Outcome> {
    const body = bodyOf(report)
    const seconds = Math.floor(this.#clock.now() / 1_000)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': report.id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatureOf(this.#secret, { id: report.id, seconds, body }),
    }
    const answer = await post(this.#url, { headers, body, signal })
    if (!(answer instanceof Response)) return answer
    discardBody(answer)
    return answer.ok ? { kind: 'delivered' } : { kind: 'unknown', reason: `status ${answer.status}` }
  }
}
