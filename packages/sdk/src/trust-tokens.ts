/**
 * Exchanges an ID token of a platform, such as a CI system, for access tokens of a trust (RFC 8693; docs/trusts.md), so that no
 * long-lived token needs to be stored.
 */
import { parseObject, retryAfterMs, unexpectedAnswer } from './answer.ts'
import { RollkeyError } from './errors.ts'
import { Transport, type Fetch, type Reply } from './transport.ts'
import type { TokenSource } from './types.ts'

/** The longest time before its end at which an access token is exchanged again, in milliseconds. */
const maxRenewBeforeMs = 60_000
/** How long an access token is used without another try after a failed exchange, in milliseconds. */
const retryAfterFailureMs = 10_000

/** Options of `trustTokens`. */
export interface TrustTokensOptions {
  /** Address of the service. */
  readonly url: string
  /** Id of the trust, `tru_…`. */
  readonly trust: string
  /** Returns an ID token of the platform. It is called for each exchange, since such tokens expire within minutes. */
  readonly idToken: () => string | Promise<string>
  /** Allows plain http to other machines, which anyone on the network path can read. @default false */
  readonly allowHttp?: boolean | undefined
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: Fetch | undefined
}

/**
 * Returns access tokens of a trust, for the option `token` of a client. It exchanges an ID token when the first request needs a
 * token, and again shortly before the access token expires. Requests at the same time share an exchange.
 *
 * Never throws. The source throws what `idToken` throws, `EXCHANGE_REFUSED` with the reason if the service refuses the ID token,
 * `RATE_LIMITED` or `SERVICE_UNAVAILABLE` if it may take it later, `UNREACHABLE`, and `INVALID_SETTING` for a malformed address.
 *
 * @example
 * const token = trustTokens({
 *   url: 'https://rollkey.example.com',
 *   trust: 'tru_8KqW2s1nYh3vBc7d',
 *   idToken: () => process.env.ROLLKEY_ID_TOKEN ?? '',
 * })
 * const rollkey = createClient({ url: 'https://rollkey.example.com', org: 'acme', project: 'shop', stage: 'prod', token })
 */
export function trustTokens(options: TrustTokensOptions): TokenSource {
  return new TrustTokens(options)
}

interface Exchanged {
  readonly token: string
  /** When to exchange again and when the token ends, as `performance.now()` counts: a clock that is set changes neither. */
  readonly renewAt: number
  readonly endsAt: number
}

class TrustTokens implements TokenSource {
  readonly #options: TrustTokensOptions
  #current: Exchanged | undefined
  #retryAt = 0
  #exchange: Promise<Exchanged> | undefined

  constructor(options: TrustTokensOptions) {
    this.#options = options
  }

  async token(): Promise<string> {
    const current = this.#current
    const now = performance.now()
    if (current && (now < current.renewAt || (now < current.endsAt && now < this.#retryAt))) return current.token
    try {
      return (await this.#exchangeOnce()).token
    } catch (error) {
      this.#retryAt = performance.now() + retryAfterFailureMs
      if (current && performance.now() < current.endsAt) return current.token
      throw error
    }
  }

  async renew(refused: string): Promise<string> {
    if (this.#current && this.#current.token !== refused) return this.#current.token
    return (await this.#exchangeOnce()).token
  }

  #exchangeOnce(): Promise<Exchanged> {
    this.#exchange ??= this.#send().finally(() => (this.#exchange = undefined))
    return this.#exchange
  }

  async #send(): Promise<Exchanged> {
    const { trust, idToken, ...options } = this.#options
    const transport = new Transport(options)
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: trust,
      subject_token: (await idToken()).trim(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    })
    const startedAt = performance.now()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await transport.exchange({ method: 'POST', target: '/oauth/token', headers, body: body.toString() })
    const { token, lifetimeMs } = grantedIn(reply, transport.base)
    const endsAt = startedAt + lifetimeMs
    this.#current = { token, endsAt, renewAt: endsAt - Math.min(maxRenewBeforeMs, lifetimeMs / 5) }
    return this.#current
  }
}

/** Returns the access token of a reply. Throws RollkeyError. */
function grantedIn(reply: Reply, origin: string): { readonly token: string; readonly lifetimeMs: number } {
  const answer = parseObject(reply.text)
  if (reply.status !== 200) throw refusalIn(reply, answer, origin)
  const { access_token: token, expires_in: seconds } = answer ?? {}
  if (typeof token !== 'string' || typeof seconds !== 'number') throw unexpectedAnswer(reply, origin, Date.now())
  return { token, lifetimeMs: seconds * 1_000 }
}

/** Returns the error of a reply (RFC 6749, section 5.2). */
function refusalIn(reply: Reply, answer: Record<string, unknown> | undefined, origin: string): RollkeyError {
  const { error, error_description: description } = answer ?? {}
  if (typeof error !== 'string') return unexpectedAnswer(reply, origin, Date.now())
  const { status, headers } = reply
  const requestId = headers.get('x-request-id') ?? undefined
  const details = { status, requestId, retryAfterMs: retryAfterMs(headers, Date.now()) }
  const why = typeof description === 'string' ? description : error
  if (status === 429) return new RollkeyError('RATE_LIMITED', why, details)
  if (status >= 500) return new RollkeyError('SERVICE_UNAVAILABLE', why, details)
  return new RollkeyError('EXCHANGE_REFUSED', `${origin} refused the ID token (${error}): ${why}`, details)
}
