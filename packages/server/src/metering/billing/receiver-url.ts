/** The URLs that name a billing system: stripe: and the event name of a meter, or the URL of any receiver. */
import type { Clock } from '../../base/clock.ts'
import { isTrustworthyUrl } from '../../upstream/trustworthy-url.ts'
import type { BillingReceiver } from './receiver.ts'
import { SignedHttpReceiver } from './signed-http.ts'
import { StripeReceiver } from './stripe.ts'

const stripe = 'stripe:'
const eventName = /^[\w.-]{1,100}$/
const stripeKey = /^[sr]k_\w+$/
const signingSecret = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/

export function isBillingUrl(url: string): boolean {
  if (url.startsWith(stripe)) return eventName.test(url.slice(stripe.length))
  // fetch refuses URLs with credentials.
  return isTrustworthyUrl(url) && new URL(url).username === '' && new URL(url).password === ''
}

/** Returns undefined if the secret suits a valid URL, otherwise what it must be. */
export function expectedSecret(url: string, secret: string): string | undefined {
  if (url.startsWith(stripe)) {
    return stripeKey.test(secret) ? undefined : 'a secret or restricted key of Stripe (sk_…, rk_…)'
  }
  if (signingSecret.test(secret)) return undefined
  return 'whsec_ and 24 to 64 bytes in base64: create one with echo "whsec_$(openssl rand -base64 32)"'
}

export function createReceiver(url: string, secret: string, clock: Clock): BillingReceiver {
  return url.startsWith(stripe)
    ? new StripeReceiver({ eventName: url.slice(stripe.length), key: secret })
    : new SignedHttpReceiver({ url, secret, clock })
}
