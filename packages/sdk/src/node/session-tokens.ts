/** Provides the tokens of a command-line session. Renews them in time, once for all processes that share the session. */
import { RollkeyError } from '../errors.ts'
import type { TokenSource } from '../types.ts'
import type { Session, SessionKey } from './session.ts'
import { refreshSession, type RefreshOptions } from './refresh.ts'

/** How long before its expiry an access token is renewed, in milliseconds. */
const renewBeforeMs = 5 * 60_000
/** How long a token is used without checking its expiry, in milliseconds: after a failed renewal, or if the clock is wrong. */
const recheckAfterMs = 30_000

/** Options of `sessionTokens`. */
export interface SessionTokensOptions extends RefreshOptions {
  /** Address of the service, as `resolveSettings` returns it. */
  readonly url: string
  /** Slug of the organization. */
  readonly org: string
}

/**
 * Returns the tokens of the stored session, for the option `token` of a client. It renews an access token 5 minutes before it
 * expires, once for all processes of this user. Never throws. The source throws `LOGIN_NEEDED`, with the reason, if there is no
 * session or if it has ended, otherwise the errors of `refreshTokens` and of `Credentials`.
 *
 * @example
 * const credentials = openCredentials({ keychain: await loadKeychain() })
 * const token = sessionTokens({ url: 'https://rollkey.example.com', org: 'acme', credentials })
 */
export function sessionTokens({ url, org, ...options }: SessionTokensOptions): TokenSource {
  return new SessionTokens({ url, orgSlug: org }, options)
}

class SessionTokens implements TokenSource {
  readonly #key: SessionKey
  readonly #options: RefreshOptions
  readonly #clock: { now(): number }
  #session: Session | undefined
  #recheckAtMs = 0
  #renewal: Promise<string> | undefined

  constructor(key: SessionKey, options: RefreshOptions) {
    this.#key = key
    this.#options = options
    this.#clock = options.clock ?? Date
  }

  async token(): Promise<string> {
    if (this.#session && (this.#isValidFor(renewBeforeMs, this.#session) || this.#clock.now() < this.#recheckAtMs)) {
      return this.#session.accessToken
    }
    const session = await this.#stored()
    if (this.#suffices(session)) return this.#use(session)
    try {
      return await this.#renewOnce()
    } catch (error) {
      const hasEnded = error instanceof RollkeyError && error.code === 'LOGIN_NEEDED'
      if (hasEnded || !this.#isValidFor(0, session)) throw error
      return this.#use(session)
    }
  }

  renew(refused: string): Promise<string> {
    return this.#renewOnce(refused)
  }

  /** Renews the session. Calls of one process share a renewal, and processes share it by the lock. */
  #renewOnce(refused?: string): Promise<string> {
    this.#renewal ??= this.#options.credentials
      .whileLocked(this.#key, async () => {
        const session = await this.#stored()
        // Another process may have renewed it while this one waited for the lock.
        if (this.#suffices(session, refused)) return this.#use(session)
        return this.#use((await refreshSession(session, this.#options)) ?? (await this.#stored()))
      })
      .finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  async #stored(): Promise<Session> {
    const { url, orgSlug } = this.#key
    const session = await this.#options.credentials.find(url, orgSlug)
    if (session) return session
    throw new RollkeyError('LOGIN_NEEDED', `Not logged in to ${orgSlug} at ${url}. Run rollkey login.`)
  }

  /** Returns whether the access token of a session needs no renewal. */
  #suffices(session: Session, refused?: string): boolean {
    if (session.accessToken === refused) return false
    // If the answer to a refresh was lost, the refresh token may be used up. Sending it again would end the session, so this
    // waits until the access token has expired.
    return this.#isValidFor(session.refreshStartedAtMs === undefined ? renewBeforeMs : 0, session)
  }

  #isValidFor(ms: number, { accessTokenExpiresAtMs }: Session): boolean {
    return accessTokenExpiresAtMs - this.#clock.now() > ms
  }

  #use(session: Session): string {
    this.#session = session
    this.#recheckAtMs = this.#clock.now() + recheckAfterMs
    return session.accessToken
  }
}
