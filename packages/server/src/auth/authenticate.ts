/**
 * Authenticates the caller (docs/api.md). A request may carry one provider token and one access token. A valid provider token
 * comes first, otherwise the access token of a command-line client or a service token. Two of one kind are refused.
 */
import type { Role } from '@rollkey/contract'
import { personActorOf } from '../storage/actor.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { StreamTicket } from '../sessions/stream-tickets.ts'
import { tokenName } from '../sessions/token-scope.ts'
import { isConfirmed } from './confirmation.ts'
import type { Members } from './external-members.ts'
import type { Organizations } from './organizations.ts'
import type { ProviderTokens } from './provider-tokens.ts'
import { laterOf, type ReportedGroups } from './reported-groups.ts'
import type { SignIn } from './sign-in.ts'

export interface Caller {
  readonly orgId: string
  readonly orgSlug: string
  /** The organization's id at the provider. */
  readonly idpOrgId: string
  /** The user's id at the provider. For a service token, the token's id, and for the token of a trust, the trust's. */
  readonly userId: string
  /** The session of an access token, a service token or the token of a trust. */
  readonly session?: Session
  /** When the person last authenticated, if a provider token says so (auth/confirmation.ts). */
  readonly authenticatedAtMs?: number
  /** How the person signed in, for a provider token. */
  readonly signIn?: SignIn
  /** The person's groups at the provider; undefined if it reports none to Rollkey. */
  readonly groups?: ReportedGroups
}

/** The refusal of a caller with a valid provider token who is not a member anymore. */
export class RemovedMember extends ApiError {
  readonly caller: Caller

  constructor(caller: Caller) {
    super('ORG_SCOPE_INVALID')
    this.caller = caller
  }
}

/**
 * The kinds of credentials that an endpoint accepts. `client` accepts what `caller` does, and client keys. `owner` and `person` accept
 * the same as `caller`, so that a caller without the rights is identified and refused with the reason.
 */
export type AcceptedCredentials = 'caller' | 'client' | 'owner' | 'person' | 'provider' | 'session'

interface Credentials {
  readonly provider: string | undefined
  /** An access token, a service token or a client key. */
  readonly access: string | undefined
}

const accessPrefix = /^svc_(?:at|st|ck)_/
const bearer = /^ *bearer +(\S+) *$/i

/**
 * Returns the credentials of an Authorization header. Node joins repeated header lines with commas, which no token contains.
 * Other schemes than Bearer are ignored. Throws UNAUTHORIZED for two credentials of one kind.
 */
function credentialsOf(authorization: string | undefined): Credentials {
  let provider: string | undefined
  let access: string | undefined
  for (const part of authorization?.split(',') ?? []) {
    const token = bearer.exec(part)?.[1]
    if (token === undefined) continue
    if (accessPrefix.test(token)) {
      if (access !== undefined) throw new ApiError('UNAUTHORIZED', 'The request has two access tokens: send one.')
      access = token
    } else {
      if (provider !== undefined) throw new ApiError('UNAUTHORIZED', 'The request has two provider tokens: send one.')
      provider = token
    }
  }
  return { provider, access }
}

const unauthorizedMessages: Record<AcceptedCredentials, string> = {
  caller:
    'The token is missing, unknown, expired or revoked: send a token of the identity provider, an access token or a service token as "Authorization: Bearer …".',
  client:
    'The key or token is missing, unknown, expired or revoked: send a client key, service token, access token or token of the identity provider as "Authorization: Bearer …" or "X-API-Key: …".',
  owner:
    'The token is missing, unknown, expired or revoked: send a token of the identity provider or an access token as "Authorization: Bearer …".',
  person:
    'The token is missing, unknown, expired or revoked: send a token of the identity provider or an access token as "Authorization: Bearer …".',
  provider:
    'The token is missing, unknown, expired or revoked: send a token of the identity provider, with an active organization, as "Authorization: Bearer …".',
  session:
    'The token is missing, unknown, expired or revoked: send an access token (svc_at_…) as "Authorization: Bearer …".',
}

const clientKeyRefused =
  'A client key evaluates flags only, at the paths of OFREP (/ofrep/v1/…): use a service token on a server, or sign in as a person.'

export class Authentication {
  readonly #providerTokens: ProviderTokens
  readonly #sessions: Sessions
  readonly #members: Members
  readonly #organizations: Organizations
  readonly #clock: Clock

  constructor(parts: {
    providerTokens: ProviderTokens
    sessions: Sessions
    members: Members
    organizations: Organizations
    clock: Clock
  }) {
    this.#providerTokens = parts.providerTokens
    this.#sessions = parts.sessions
    this.#members = parts.members
    this.#organizations = parts.organizations
    this.#clock = parts.clock
  }

  /**
   * Returns the caller, provided that the read set validates, as a promise unless a look-up in memory is enough. Calls
   * `beforeExpensiveCheck` before a credential costs more than that. Throws or rejects with UNAUTHORIZED, ORG_SCOPE_INVALID, what
   * `beforeExpensiveCheck` throws or, if the provider is needed and unavailable, SERVICE_UNAVAILABLE.
   */
  caller(
    authorization: string | undefined,
    accepted: AcceptedCredentials,
    reads: ReadSet,
    beforeExpensiveCheck?: () => void,
  ): Caller | Promise<Caller> {
    const { provider, access } = credentialsOf(authorization)
    const byAccessToken = (): Caller | Promise<Caller> => {
      const session =
        access === undefined || accepted === 'provider'
          ? undefined
          : this.#sessions.find(access, reads, beforeExpensiveCheck)
      if (session instanceof Promise) return session.then((found) => this.#byAccepted(found, accepted, reads))
      return this.#byAccepted(session, accepted, reads)
    }
    if (provider === undefined || accepted === 'session') return byAccessToken()
    beforeExpensiveCheck?.()
    const hasOther = access !== undefined && accepted !== 'provider'
    return this.#byProviderToken(provider, hasOther, reads).then((caller) => caller ?? byAccessToken())
  }

  /** Returns the caller of a session, if there is one and the endpoint accepts it. Throws UNAUTHORIZED or FORBIDDEN. */
  #byAccepted(session: Session | undefined, accepted: AcceptedCredentials, reads: ReadSet): Caller | Promise<Caller> {
    if (session?.scope?.clientKey && accepted !== 'client') throw new ApiError('FORBIDDEN', clientKeyRefused)
    if (!session || (session.scope && accepted === 'session'))
      throw new ApiError('UNAUTHORIZED', unauthorizedMessages[accepted])
    return this.#bySession(session, reads)
  }

  /** Returns the caller for whose token a ticket was issued. Throws UNAUTHORIZED, or what `caller` throws. */
  async callerOfTicket(ticket: StreamTicket, reads: ReadSet, beforeExpensiveCheck?: () => void): Promise<Caller> {
    const session = await this.#sessions.findByTicket(ticket, reads, beforeExpensiveCheck)
    if (!session)
      throw new ApiError(
        'UNAUTHORIZED',
        'The stream ticket is invalid or its token has expired: evaluate again to get a new one.',
      )
    return this.#bySession(session, reads)
  }

  /** `hasOther`: whether another credential decides if the provider's keys are unavailable. */
  async #byProviderToken(token: string, hasOther: boolean, reads: ReadSet): Promise<Caller | undefined> {
    const identity = await this.#providerTokens.verify(token).catch((error: unknown) => {
      if (hasOther) return undefined
      throw error
    })
    if (!identity) return undefined
    const { userId, idpOrgId, orgSlug, issuedAtMs, authenticatedAtMs, signIn, groups } = identity
    const isFresh = this.#members.freshAtMs(idpOrgId, userId, -Infinity, reads) !== undefined
    const isRemoved = !isFresh && (await this.#members.check(idpOrgId, userId, issuedAtMs, reads)) === 'removed'
    const byOf = (id: string) => personActorOf({ orgId: id, userId })
    const orgId = await this.#organizations.idOf(idpOrgId, orgSlug, byOf, reads)
    const authenticated = authenticatedAtMs === undefined ? {} : { authenticatedAtMs }
    const caller = { orgId, orgSlug, idpOrgId, userId, signIn, ...authenticated }
    if (isRemoved) throw new RemovedMember(caller)
    const inToken = groups && { names: groups, asOfMs: issuedAtMs }
    const reported = laterOf(inToken, this.#members.groupsOf?.(idpOrgId, userId))
    return reported ? { ...caller, groups: reported } : caller
  }

  /** Returns the caller of a session. A service token belongs to the organization, so no membership is checked for it. */
  #bySession(session: Session, reads: ReadSet): Caller | Promise<Caller> {
    const { userId, idpOrgId, memberSeenAtMs, scope } = session
    const seenAtMs = scope ? memberSeenAtMs : this.#members.freshAtMs(idpOrgId, userId, memberSeenAtMs, reads)
    if (seenAtMs === undefined) return this.#bySessionAfterAsking(session, reads)
    this.#sessions.touch(session, seenAtMs)
    return this.#callerOf(session)
  }

  #callerOf(session: Session): Caller {
    const { orgId, orgSlug, userId, idpOrgId, scope } = session
    const groups = scope ? undefined : this.#members.groupsOf?.(idpOrgId, userId)
    const caller = { orgId, orgSlug, idpOrgId, userId, session }
    return groups ? { ...caller, groups } : caller
  }

  async #bySessionAfterAsking(session: Session, reads: ReadSet): Promise<Caller> {
    const { userId, idpOrgId, memberSeenAtMs } = session
    if ((await this.#members.check(idpOrgId, userId, memberSeenAtMs, reads)) === 'removed') {
      return this.#refuseRemoved(session, reads)
    }
    this.#sessions.touch(session, this.#members.freshAtMs(idpOrgId, userId, memberSeenAtMs, reads) ?? memberSeenAtMs)
    return this.#callerOf(session)
  }

  /**
   * Revokes the session of a removed member. Only the request that revokes it gets the reason; later ones get UNAUTHORIZED. Marks
   * the read set as validated, because the session no longer exists.
   */
  async #refuseRemoved(session: Session, reads: ReadSet): Promise<never> {
    reads.markValidated()
    const isFirst = await this.#sessions.revokeAsSystem(session, session.id, 'removed member')
    throw new ApiError(isFirst ? 'ORG_SCOPE_INVALID' : 'UNAUTHORIZED')
  }

  /**
   * Returns the current role of a caller who is a user, without using memory. Throws ORG_SCOPE_INVALID, UNAUTHORIZED or, if the
   * provider is unavailable, SERVICE_UNAVAILABLE.
   */
  async roleOf({ idpOrgId, userId, session }: Caller, reads: ReadSet): Promise<Role> {
    const role = await this.#members.checkNow(idpOrgId, userId)
    if (role !== 'removed') return role
    if (session) return this.#refuseRemoved(session, reads)
    throw new ApiError('ORG_SCOPE_INVALID')
  }

  /** Returns whether the caller is an owner or admin. A service token never is. Throws what `roleOf` throws. */
  async isAdmin(caller: Caller, reads: ReadSet): Promise<boolean> {
    return !caller.session?.scope && (await this.roleOf(caller, reads)) !== 'member'
  }

  /** Throws FORBIDDEN if the caller is a service token. */
  assertPerson({ session }: Caller): void {
    if (session?.scope)
      throw new ApiError(
        'FORBIDDEN',
        `A ${tokenName(session.scope)} cannot do this: sign in as a person. If it needs values, evaluate them instead.`,
      )
  }

  /** Throws FORBIDDEN if the caller is not an owner, and what `roleOf` throws. */
  async assertOwner(caller: Caller, reads: ReadSet): Promise<void> {
    if (caller.session?.scope)
      throw new ApiError(
        'FORBIDDEN',
        `A ${tokenName(caller.session.scope)} cannot do this: sign in as an owner of the organization.`,
      )
    if ((await this.roleOf(caller, reads)) !== 'owner')
      throw new ApiError('FORBIDDEN', 'Only an owner of the organization can do this: ask one of them.')
  }

  /** Returns whether the person proved who they are, or confirmed the session, in the last 15 minutes. */
  isConfirmedRead({ session, authenticatedAtMs }: Caller): boolean {
    return isConfirmed(session ? session.confirmedAtMs : authenticatedAtMs, this.#clock.now())
  }

  /** Throws CONFIRMATION_REQUIRED unless the person proved who they are, or confirmed the session, in the last 15 minutes. */
  assertConfirmedRead(caller: Caller): void {
    if (this.isConfirmedRead(caller)) return
    const { session } = caller
    const how = session ? 'confirm this session in the web application' : 'confirm that it is you'
    throw new ApiError('CONFIRMATION_REQUIRED', `The stage is protected: ${how}, then repeat the request.`)
  }

  /** Throws CONFIRMATION_REQUIRED unless the caller is a person who proved who they are in the last 15 minutes. */
  assertConfirmed({ session, authenticatedAtMs }: Caller): void {
    if (session)
      throw new ApiError(
        'CONFIRMATION_REQUIRED',
        'A command-line session cannot confirm that it is you: do this in the web application.',
      )
    if (!isConfirmed(authenticatedAtMs, this.#clock.now())) throw new ApiError('CONFIRMATION_REQUIRED')
  }

  /** Throws FORBIDDEN if the caller is not an owner or admin, and what `roleOf` throws. */
  async assertAdmin(caller: Caller, reads: ReadSet): Promise<void> {
    if (caller.session?.scope) {
      throw new ApiError(
        'FORBIDDEN',
        `A ${tokenName(caller.session.scope)} cannot do this: sign in as an owner or admin of the organization.`,
      )
    }
    if (!(await this.isAdmin(caller, reads))) {
      throw new ApiError('FORBIDDEN', 'Only an owner or admin of the organization can do this: ask one of them.')
    }
  }
}
