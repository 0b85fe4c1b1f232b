/**
 * Who is calling (specification, "Authentication"; RULINGS, "Identity"). Every bearer credential of the request counts: a
 * valid provider token first, else the CLI access token; two of one kind are nobody.
 */
import type { Claims } from '../base/claims.ts'
import { Fault } from '../base/fault.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { Members } from './outside-members.ts'
import type { Organizations } from './organizations.ts'
import type { ProviderTokens } from './provider-tokens.ts'

export interface Caller {
  readonly orgId: string
  readonly orgSlug: string
  readonly userId: string
  /** Of a CLI access token. */
  readonly session?: Session
}

/** Which kinds of credential count. */
export type Accepted = 'caller' | 'provider' | 'session'

interface Credentials {
  readonly provider: string | undefined
  readonly access: string | undefined
}

const bearer = /^ *bearer +(\S+) *$/i

/**
 * Node joins repeated header lines with commas. A token has no comma; what is no bearer credential does not count.
 * Throws UNAUTHORIZED for two of one kind.
 */
function credentialsOf(authorization: string | undefined): Credentials {
  let provider: string | undefined
  let access: string | undefined
  for (const part of authorization?.split(',') ?? []) {
    const token = bearer.exec(part)?.[1]
    if (token === undefined) continue
    if (token.startsWith('svc_at_')) {
      if (access !== undefined) throw new Fault('UNAUTHORIZED', 'The request carries two access tokens; send one.')
      access = token
    } else {
      if (provider !== undefined) throw new Fault('UNAUTHORIZED', 'The request carries two provider tokens; send one.')
      provider = token
    }
  }
  return { provider, access }
}

const nobody: Record<Accepted, string> = {
  caller: 'Send a valid token of the identity provider or an access token as "Authorization: Bearer …".',
  provider: 'Send a valid token of the identity provider, with an active organization, as "Authorization: Bearer …".',
  session: 'Send a valid access token (svc_at_…) as "Authorization: Bearer …".',
}

export class Authentication {
  readonly #providerTokens: ProviderTokens
  readonly #sessions: Sessions
  readonly #members: Members
  readonly #organizations: Organizations

  constructor(parts: {
    providerTokens: ProviderTokens
    sessions: Sessions
    members: Members
    organizations: Organizations
  }) {
    this.#providerTokens = parts.providerTokens
    this.#sessions = parts.sessions
    this.#members = parts.members
    this.#organizations = parts.organizations
  }

  /**
   * The caller, if the claims turn out to hold.
   * Throws UNAUTHORIZED, ORG_SCOPE_INVALID or, if the provider is needed and cannot be asked, SERVICE_UNAVAILABLE.
   */
  async caller(authorization: string | undefined, accepted: Accepted, claims: Claims): Promise<Caller> {
    const { provider, access } = credentialsOf(authorization)
    if (provider !== undefined && accepted !== 'session') {
      const caller = await this.#byProviderToken(provider, access !== undefined && accepted === 'caller', claims)
      if (caller) return caller
    }
    const session = access === undefined || accepted === 'provider' ? undefined : this.#sessions.find(access, claims)
    const live = session instanceof Promise ? await session : session
    if (!live) throw new Fault('UNAUTHORIZED', nobody[accepted])
    return this.#bySession(live, claims)
  }

  /** `hasOther`: another credential may decide if the provider's keys cannot be had. */
  async #byProviderToken(token: string, hasOther: boolean, claims: Claims): Promise<Caller | undefined> {
    const identity = await this.#providerTokens.verify(token).catch((error: unknown) => {
      if (hasOther) return undefined
      throw error
    })
    if (!identity) return undefined
    const { userId, idpOrgId, orgSlug, issuedAtMs } = identity
    const fresh = this.#members.freshAtMs(idpOrgId, userId, -Infinity, claims) !== undefined
    if (!fresh && (await this.#members.check(idpOrgId, userId, issuedAtMs, claims)) === 'removed') {
      throw new Fault('ORG_SCOPE_INVALID')
    }
    return { orgId: await this.#organizations.idOf(idpOrgId, orgSlug), orgSlug, userId }
  }

  #bySession(session: Session, claims: Claims): Caller | Promise<Caller> {
    const { orgId, orgSlug, userId, idpOrgId, memberSeenAtMs } = session
    const seenAtMs = this.#members.freshAtMs(idpOrgId, userId, memberSeenAtMs, claims)
    if (seenAtMs === undefined) return this.#bySessionAfterAsking(session, claims)
    this.#sessions.touch(session, seenAtMs)
    return { orgId, orgSlug, userId, session }
  }

  async #bySessionAfterAsking(session: Session, claims: Claims): Promise<Caller> {
    const { id, orgId, orgSlug, userId, idpOrgId, memberSeenAtMs } = session
    if ((await this.#members.check(idpOrgId, userId, memberSeenAtMs, claims)) === 'removed') {
      // The first to notice says why; after that the session is as dead as any other. Nothing of it is left to confirm.
      claims.settle()
      throw new Fault((await this.#sessions.revoke(id, 'removed member')) ? 'ORG_SCOPE_INVALID' : 'UNAUTHORIZED')
    }
    this.#sessions.touch(session, this.#members.freshAtMs(idpOrgId, userId, memberSeenAtMs, claims) ?? memberSeenAtMs)
    return { orgId, orgSlug, userId, session }
  }
}
