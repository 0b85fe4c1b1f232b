/** Access tokens of requests under /v1. */
import { RollkeyError, type TokenSource } from '@rollkey/sdk/core'
import type { Settings } from './settings.ts'
import { identity, unwrap } from './identity.ts'
import { externalToken } from './external-sign-in.ts'

/**
 * How long a token is used. The embedded provider's live 60 seconds, and one with less than 15 seconds left may expire on the
 * way.
 */
const reusableMs = 45_000

/** The organization that requests act in: the one of the page's address, whatever other tabs show. */
export interface ActingIn {
  readonly provider: Settings['provider']
  readonly orgSlug: string
}

interface EmbeddedToken {
  readonly token: string
  readonly receivedAtMs: number
}

/** Tokens by organization. */
const current = new Map<string, EmbeddedToken>()
/** Requests for tokens that are under way, by organization. Calls that begin together share one. */
const pending = new Map<string, Promise<string>>()

/** Returns the source of tokens for requests in an organization. */
export function tokensOf({ provider, orgSlug }: ActingIn): TokenSource {
  if (provider === 'external') return { token: async () => ownExternalToken() }
  return {
    token: () => embeddedToken(orgSlug),
    // A token may expire earlier by the clock of the service than by this one.
    renew: (refused) => {
      if (current.get(orgSlug)?.token === refused) current.delete(orgSlug)
      return embeddedToken(orgSlug)
    },
  }
}

/** Forgets the tokens, because they name the former viewer. */
export function forgetAccessTokens(): void {
  current.clear()
  pending.clear()
}

async function embeddedToken(organizationSlug: string): Promise<string> {
  const known = current.get(organizationSlug)
  if (known && performance.now() - known.receivedAtMs <= reusableMs) return known.token
  const requested = pending.get(organizationSlug) ?? requestToken(organizationSlug)
  pending.set(organizationSlug, requested)
  try {
    return await requested
  } finally {
    if (pending.get(organizationSlug) === requested) pending.delete(organizationSlug)
  }
}

async function requestToken(organizationSlug: string): Promise<string> {
  const receivedAtMs = performance.now()
  const { token } = await unwrap(identity.$fetch<{ token: string }>('/token', { query: { organizationSlug } }))
  current.set(organizationSlug, { token, receivedAtMs })
  return token
}

function ownExternalToken(): string {
  const token = externalToken()
  if (!token) throw new RollkeyError('UNAUTHORIZED', 'The sign-in has ended.', { status: 401 })
  return token.token
}
