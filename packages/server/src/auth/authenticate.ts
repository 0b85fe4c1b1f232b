/**
 * Who is calling (specification, "Authentication"; RULINGS, "Identity"). Every bearer credential of the request counts: a
 * valid provider token first, else the access token of a command-line client or a service token; two of one kind are nobody.
 */
import type { Role } from '@rollkey/contract'
import { personOf } from '../base/actor.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import { ApiError } from '../base/api-error.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { Members } from './external-members.ts'
import type { Organizations } from './organizations.ts'
import type { ProviderTokens } from './provider-tokens.ts'

export interface Caller {
  readonly orgId: string
  readonly orgSlug: string
  /** The organization's id at the provider. */
  readonly idpOrgId: string
  /** The user's id at the provider; of a service token its own id. */
  readonly userId: string
  /** Of an access token or a service token. */
  readonly session?: Session
  /** Of a provider token: when the person last proved who they are, if the provider says so (confirmation.ts). */
  readonly authenticatedAtMs?: number
}

/** Whose provider token is good, and who is no member any more. */
export class RemovedMember extends ApiError {
  readonly caller: Caller

  constructor(caller: Caller) {
    super('ORG_SCOPE_INVALID')
    this.caller = caller
  }
}

/** Which kinds of credential count; of `admin` and `person` the same as of `caller`, since whoever may not is known and told so. */
export type AcceptedCredentials = 'caller' | 'admin' | 'person' | 'provider' | 'session'

interface Credentials {
  readonly provider: string | undefined
  /** An access token or a service token. */
  readonly access: string | undefined
}

const accessPrefix = /^svc_[as]t_/
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
    if (accessPrefix.test(token)) {
      if (access !== undefined) throw new ApiError('UNAUTHORIZED', 'The request carries two access tokens; send one.')
      access = token
    } else {
      if (provider !== undefined)
        throw new ApiError('UNAUTHORIZED', 'The request carries two provider tokens; send one.')
      provider = token
    }
  }
  return { provider, access }
}

const nobody: Record<AcceptedCredentials, string> = {
  caller:
    'Send a valid token of the identity provider, an access token or a service token as "Authorization: Bearer …".',
  admin: 'Send a valid token of the identity provider or an access token as "Authorization: Bearer …".',
  person: 'Send a valid token of the identity provider or an access token as "Authorization: Bearer …".',
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
   * The caller, if the reads turn out to hold. `beforeEffort`: called before a credential costs more than a look at what is in
   * memory. Throws UNAUTHORIZED, ORG_SCOPE_INVALID, what `beforeEffort` throws or, if the provider is needed and cannot be
   * asked, SERVICE_UNAVAILABLE.
   */
  async caller(
    authorization: string | undefined,
    accepted: AcceptedCredentials,
    reads: ReadSet,
    beforeEffort?: () => void,
  ): Promise<Caller> {
    const { provider, access } = credentialsOf(authorization)
    if (provider !== undefined && accepted !== 'session') {
      beforeEffort?.()
      const caller = await this.#byProviderToken(provider, access !== undefined && accepted !== 'provider', reads)
      if (caller) return caller
    }
    const session =
      access === undefined || accepted === 'provider' ? undefined : this.#sessions.find(access, reads, beforeEffort)
    const live = session instanceof Promise ? await session : session
    if (!live || (live.scope && accepted === 'session')) throw new ApiError('UNAUTHORIZED', nobody[accepted])
    return this.#bySession(live, reads)
  }

  /** `hasOther`: another credential may decide if the provider's keys cannot be had. */
  async #byProviderToken(token: string, hasOther: boolean, reads: ReadSet): Promise<Caller | undefined> {
    const identity = await this.#providerTokens.verify(token).catch((error: unknown) => {
      if (hasOther) return undefined
      throw error
    })
    if (!identity) return undefined
    const { userId, idpOrgId, orgSlug, issuedAtMs, authenticatedAtMs } = identity
    const fresh = this.#members.freshAtMs(idpOrgId, userId, -Infinity, reads) !== undefined
    const isRemoved = !fresh && (await this.#members.check(idpOrgId, userId, issuedAtMs, reads)) === 'removed'
    const orgId = await this.#organizations.idOf(idpOrgId, orgSlug, (id) => personOf({ orgId: id, userId }))
    const caller = { orgId, orgSlug, idpOrgId, userId, ...(authenticatedAtMs !== undefined && { authenticatedAtMs }) }
    if (isRemoved) throw new RemovedMember(caller)
    return caller
  }

  /** A service token belongs to the organization: nobody's membership is asked for it. */
  #bySession(session: Session, reads: ReadSet): Caller | Promise<Caller> {
    const { orgId, orgSlug, userId, idpOrgId, memberSeenAtMs, scope } = session
    const seenAtMs = scope ? memberSeenAtMs : this.#members.freshAtMs(idpOrgId, userId, memberSeenAtMs, reads)
    if (seenAtMs === undefined) return this.#bySessionAfterAsking(session, reads)
    this.#sessions.touch(session, seenAtMs)
    return { orgId, orgSlug, idpOrgId, userId, session }
  }

  async #bySessionAfterAsking(session: Session, reads: ReadSet): Promise<Caller> {
    const { orgId, orgSlug, userId, idpOrgId, memberSeenAtMs } = session
    if ((await this.#members.check(idpOrgId, userId, memberSeenAtMs, reads)) === 'removed') {
      return this.#refuseRemoved(session, reads)
    }
    this.#sessions.touch(session, this.#members.freshAtMs(idpOrgId, userId, memberSeenAtMs, reads) ?? memberSeenAtMs)
    return { orgId, orgSlug, idpOrgId, userId, session }
  }

  /** The first to notice says why; after that the session is as dead as any other. Nothing of it is left to confirm. */
  async #refuseRemoved(session: Session, reads: ReadSet): Promise<never> {
    reads.markValidated()
    const isFirst = await this.#sessions.endByRules(session, session.id, 'removed member')
    throw new ApiError(isFirst ? 'ORG_SCOPE_INVALID' : 'UNAUTHORIZED')
  }

  /**
   * The role of a caller that is a user, asked anew. Throws ORG_SCOPE_INVALID, UNAUTHORIZED or, if the provider cannot be
   * asked, SERVICE_UNAVAILABLE.
   */
  async roleOf({ idpOrgId, userId, session }: Caller, reads: ReadSet): Promise<Role> {
    const role = await this.#members.checkNow(idpOrgId, userId)
    if (role !== 'removed') return role
    if (session) return this.#refuseRemoved(session, reads)
    throw new ApiError('ORG_SCOPE_INVALID')
  }

  /** A service token is none. Throws what `roleOf` throws. */
  async isAdmin(caller: Caller, reads: ReadSet): Promise<boolean> {
    return !caller.session?.scope && (await this.roleOf(caller, reads)) !== 'member'
  }

  /** Throws FORBIDDEN. */
  assertPerson({ session }: Caller): void {
    if (session?.scope) throw new ApiError('FORBIDDEN', 'A service token sees values only by evaluating them.')
  }

  /** Throws FORBIDDEN, and what `roleOf` throws. */
  async assertAdmin(caller: Caller, reads: ReadSet): Promise<void> {
    if (caller.session?.scope) {
      throw new ApiError(
        'FORBIDDEN',
        'A service token cannot do this: sign in as an owner or admin of the organization.',
      )
    }
    if (!(await this.isAdmin(caller, reads))) {
      throw new ApiError('FORBIDDEN', 'Only an owner or admin of the organization can do this: ask one of them.')
    }
  }
}
