/** Tokens of a session of the command line: renewed in time, once for all processes that share the session. */
import { RollkeyError } from '../errors.ts'
import type { TokenSource } from '../types.ts'
import type { Session, SessionKey } from './credentials.ts'
import { refreshSession, type RefreshOptions } from './refresh.ts'

/** So long before its end an access token is renewed. */
const renewalMs = 5 * 60_000
/** So long a token is used without a look at the clock: after a renewal that failed, and where the clock is wrong. */
const restMs = 30_000

export interface SessionTokensOptions extends RefreshOptions {
  /** As `resolveSettings` gives it. */
  readonly url: string
  readonly org: string
}

/**
 * Tokens of the stored session, for `token` of a client. They throw LOGIN_NEEDED if there is no session or if it has ended,
 * with the reason; otherwise the errors of the refresh and of the store.
 */
export function sessionTokens({ url, org, ...options }: SessionTokensOptions): TokenSource {
  return new SessionTokens({ url, orgSlug: org }, options)
}

class SessionTokens implements TokenSource {
  readonly #key: SessionKey
  readonly #options: RefreshOptions
  readonly #clock: { now(): number }
  #session: Session | undefined
  #restsUntilMs = 0
  #renewal: Promise<string> | undefined

  constructor(key: SessionKey, options: RefreshOptions) {
    this.#key = key
    this.#options = options
    this.#clock = options.clock ?? Date
  }

  async token(): Promise<string> {
    if (this.#session && (this.#isGoodFor(renewalMs, this.#session) || this.#clock.now() < this.#restsUntilMs)) {
      return this.#session.accessToken
    }
    const session = await this.#stored()
    if (this.#suffices(session)) return this.#use(session)
    try {
      return await this.#renewOnce()
    } catch (error) {
      const isOver = error instanceof RollkeyError && error.code === 'LOGIN_NEEDED'
      if (isOver || !this.#isGoodFor(0, session)) throw error
      return this.#use(session)
    }
  }

  renew(refused: string): Promise<string> {
    return this.#renewOnce(refused)
  }

  /** Calls of one process share a renewal, as processes do by the lock. */
  #renewOnce(refused?: string): Promise<string> {
    this.#renewal ??= this.#options.credentials
      .whileLocked(this.#key, async () => {
        const session = await this.#stored()
        // Somebody else may have renewed it while this one waited for the lock.
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
    throw new RollkeyError('LOGIN_NEEDED', `Nobody is logged in to ${orgSlug} at ${url}. Run rollkey login.`)
  }

  /** Whether its access token needs no renewal. */
  #suffices(session: Session, refused?: string): boolean {
    if (session.accessToken === refused) return false
    // Where the answer to a refresh was lost, the refresh token may be used up. To show it again would end the session, so
    // that is left for when the access token is over.
    return this.#isGoodFor(session.refreshStartedAtMs === undefined ? renewalMs : 0, session)
  }

  #isGoodFor(ms: number, { accessTokenExpiresAtMs }: Session): boolean {
    return accessTokenExpiresAtMs - this.#clock.now() > ms
  }

  #use(session: Session): string {
    this.#session = session
    this.#restsUntilMs = this.#clock.now() + restMs
    return session.accessToken
  }
}
