/** Sessions of command-line clients and service tokens: lookup by access token, token rotation, and revocation (docs/api.md). */
import { limits, type Response, type Role } from '@rollkey/contract'
import {
  operatorActorOf,
  personActorOf,
  systemActorOf,
  sessionActorOf,
  type Actor,
  type Member,
} from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import type { ReadValidator } from '../consistency/read-validator.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import { ApiError } from '../base/api-error.ts'
import type { Log } from '../base/log.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import { denyApprovedCodes } from '../storage/device-codes.ts'
import * as store from '../storage/sessions.ts'
import type { AccessRow, RefreshRow, RevocationReason } from '../storage/sessions.ts'
import { requireOrganization } from '../storage/organizations.ts'
import type { TokenPlace } from '../storage/service-tokens.ts'
import type { Sql } from '../storage/sql.ts'
import type { StreamTicket } from './stream-tickets.ts'
import type { TokenScope } from './token-scope.ts'
import { hashOfToken, issueTokenPair, openSession, type TokenPair } from './tokens.ts'

/** The session of an access token. */
export interface Session {
  readonly id: string
  readonly orgId: string
  readonly orgSlug: string
  readonly idpOrgId: string
  /** The user's id at the provider, or the id of the service token or the trust. */
  readonly userId: string
  /** The name that the client gave itself at login, or the name of the service token or the trust. */
  readonly name: string | undefined
  readonly accessTokenExpiresAtMs: number
  /** Hash of the access token. */
  readonly tokenHash: string
  /** When the provider last confirmed the membership of the user, according to the store. */
  readonly memberSeenAtMs: number
  /** When the person last confirmed the session in the web application. */
  readonly confirmedAtMs: number | undefined
  /** Counts changes of the session, except its end. */
  readonly version: number
  /** The scope of a service token, the token of a trust or a client key; undefined for a command-line client. */
  readonly scope: TokenScope | undefined
}

/** A session as people see it. */
export type ListedSession = Omit<Response<'sessionList'>['sessions'][number], 'isCurrent'>

/** A function that asks the provider for the role of a member. It throws SERVICE_UNAVAILABLE if the provider does not answer. */
export type AskMembership = (idpOrgId: string, userId: string) => Promise<Role | 'removed'>

const maxInMemory = 100_000
const accessTokenFormat = /^svc_(?:at|st|ck)_[A-Za-z0-9_-]{43}$/

interface Touch {
  lastUsedAtMs: number
  memberSeenAtMs: number
}

export class Sessions {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #log: Log
  readonly #askMembership: AskMembership
  /** Sessions by token or ticket. The key is the token itself, because hashing it for each request costs a twentieth of an evaluation. */
  readonly #cache: CoherentCache<Session>
  /** Uses since the last flush, by session id: a write per request would cost more than the request. */
  #touched = new Map<string, Touch>()

  constructor(parts: { sql: Sql; validator: ReadValidator; clock: Clock; log: Log; askMembership: AskMembership }) {
    this.#sql = parts.sql
    this.#clock = parts.clock
    this.#log = parts.log
    this.#askMembership = parts.askMembership
    const { logicalClock } = parts.validator
    this.#cache = new CoherentCache({ max: maxInMemory, kind: 'session', logicalClock })
  }

  /**
   * Returns the session of an access token or a service token, which is valid if the read set is. Returns a promise only if
   * the session is not in memory. `beforeRead` can prevent that read by throwing.
   */
  find(
    accessToken: string,
    reads: ReadSet,
    beforeRead?: () => void,
  ): Session | undefined | Promise<Session | undefined> {
    if (!accessTokenFormat.test(accessToken)) return undefined
    const live = this.#cache.peek(accessToken, reads)
    if (live) return this.#unexpired(live)
    // Also for a request that shares the read of another: each attempt with an unknown token counts.
    beforeRead?.()
    return this.#readThrough(accessToken, reads)
  }

  /** Returns the session for whose token a ticket was issued. It does not check when the ticket expires. */
  async findByTicket(ticket: StreamTicket, reads: ReadSet, beforeRead?: () => void): Promise<Session | undefined> {
    const live = this.#cache.peek(ticket.key, reads)
    if (live) return this.#unexpired(live)
    beforeRead?.()
    return this.#unexpired(await this.#cache.get(ticket.key, () => this.#readByTicket(ticket), reads))
  }

  async #readThrough(accessToken: string, reads: ReadSet): Promise<Session | undefined> {
    return this.#unexpired(await this.#cache.get(accessToken, () => this.#read(hashOfToken(accessToken)), reads))
  }

  #unexpired(session: Session | undefined): Session | undefined {
    return session && this.#clock.now() < session.accessTokenExpiresAtMs ? session : undefined
  }

  async #read(hash: string): Promise<Session | undefined> {
    return sessionOf(await store.sessionByAccessToken(this.#sql, hash))
  }

  async #readByTicket(ticket: StreamTicket): Promise<Session | undefined> {
    const rows = await store.sessionWithAccessTokens(this.#sql, ticket.sessionId)
    return sessionOf(rows.find(({ hash }) => ticket.isOf(hash)))
  }
  /** Records that the session was used now, by a member confirmed at `memberSeenAtMs`. */
  touch(session: Session, memberSeenAtMs: number): void {
    const touch = this.#touched.get(session.id)
    const lastUsedAtMs = this.#clock.now()
    if (!touch) this.#touched.set(session.id, { lastUsedAtMs, memberSeenAtMs })
    else {
      touch.lastUsedAtMs = Math.max(touch.lastUsedAtMs, lastUsedAtMs)
      touch.memberSeenAtMs = Math.max(touch.memberSeenAtMs, memberSeenAtMs)
    }
  }

  /** Stores the recorded uses. Called every few seconds and at shutdown. */
  async flush(): Promise<void> {
    const touched = this.#touched
    if (touched.size === 0) return
    this.#touched = new Map()
    try {
      await this.#sql.tx(async (tx) => {
        // The same order on every node prevents deadlocks.
        for (const [id, { lastUsedAtMs, memberSeenAtMs }] of [...touched].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          await store.touchSession(tx, id, lastUsedAtMs, memberSeenAtMs)
        }
      }, 'process')
    } catch (error) {
      this.#touched = new Map([...touched, ...this.#touched])
      throw error
    }
  }

  /** Opens a session without a device code, for the operator's setup command. */
  async open({ orgId, userId, clientName }: Member & { readonly clientName: string }): Promise<TokenPair> {
    const nowMs = this.#clock.now()
    return this.#sql.tx(async (tx) => {
      await requireOrganization(tx, orgId)
      const { sessionId, pair } = await openSession(tx, { orgId, userId, clientName, nowMs, memberSeenAtMs: nowMs })
      await appendAudit(tx, operatorActorOf(orgId), { action: 'setup', nowMs, facts: { sessionId, userId } })
      return pair
    })
  }

  /** Returns the times that GET /v1/cli/session reports. */
  async timesOf(session: Session): Promise<{ refreshTokenExpiresAtMs: number; lastUsedAtMs: number }> {
    const refreshTokenExpiresAtMs = await store.refreshTokenExpiry(this.#sql, session.id)
    return {
      // A session without an unused refresh token cannot be extended beyond its access token.
      refreshTokenExpiresAtMs: refreshTokenExpiresAtMs ?? session.accessTokenExpiresAtMs,
      lastUsedAtMs: this.#touched.get(session.id)?.lastUsedAtMs ?? this.#clock.now(),
    }
  }

  /** Returns the active sessions of an organization, most recently used first, optionally only one or only those of one user. */
  async list(orgId: string, only: { id?: string; userId?: string } = {}): Promise<ListedSession[]> {
    const rows = await store.liveSessions(this.#sql, orgId, only, this.#clock.now())
    return rows
      .map((row) => ({
        id: row.id,
        idpUserId: row.user_id,
        clientName: row.client_name ?? undefined,
        createdAtMs: row.created_at_ms,
        lastUsedAtMs: Math.max(row.last_used_at_ms, this.#touched.get(row.id)?.lastUsedAtMs ?? 0),
        refreshTokenExpiresAtMs: row.refresh_expires_at_ms,
      }))
      .toSorted((a, b) => b.lastUsedAtMs - a.lastUsedAtMs || (a.id < b.id ? -1 : 1))
  }

  /** Exchanges the refresh token for a new pair. Of many callers one succeeds. A failure leaves the token usable. */
  async refresh(refreshToken: string, requestId: string): Promise<TokenPair> {
    const hash = hashOfToken(refreshToken)
    const row = await store.sessionByRefreshToken(this.#sql, hash)
    const nowMs = this.#clock.now()
    if (!row || row.revoked_at_ms !== null || nowMs >= row.expires_at_ms) throw new ApiError('INVALID_REFRESH_TOKEN')
    if (row.used_at_ms !== null) {
      await this.#refuseReuse(row, nowMs - row.used_at_ms)
      throw new ApiError('INVALID_REFRESH_TOKEN')
    }
    if ((await this.#askMembership(row.idp_org_id, row.user_id)) === 'removed') {
      if (await this.revokeAsSystem(memberOf(row), row.id, 'removed member')) throw new ApiError('ORG_SCOPE_INVALID')
      throw new ApiError('INVALID_REFRESH_TOKEN')
    }
    const pair = await this.#sql.tx(async (tx) => {
      const usedAtMs = this.#clock.now()
      if (!(await store.useRefreshToken(tx, hash, row.id, usedAtMs))) return undefined
      const issued = await issueTokenPair(tx, row.id, usedAtMs)
      const actor = sessionActorOf(memberOf(row), row.client_name ?? undefined, requestId)
      await appendAudit(tx, actor, { action: 'session.refresh', nowMs: usedAtMs, facts: { sessionId: row.id } })
      return issued
    })
    if (!pair) throw new ApiError('INVALID_REFRESH_TOKEN')
    return pair
  }

  /** Revokes the session of a reused refresh token. Racing callers are honest, but a reuse after a minute means theft. */
  async #refuseReuse(row: RefreshRow, sinceRotationMs: number): Promise<void> {
    if (sinceRotationMs <= limits.refreshReuseLeewayMs) return
    if (await this.revokeAsSystem(memberOf(row), row.id, 'refresh token used twice')) {
      this.#log.warn('refresh token used twice, session revoked', { sessionId: row.id })
    }
  }

  /** Revokes the session of a refresh token of the same user and organization. Throws UNAUTHORIZED for any other token. */
  async logout(actor: Actor, refreshToken: string): Promise<void> {
    const row = await store.sessionByRefreshToken(this.#sql, hashOfToken(refreshToken))
    if (!row || row.org_id !== actor.orgId || row.user_id !== actor.id) {
      throw new ApiError(
        'UNAUTHORIZED',
        'refreshToken does not belong to one of your sessions: send the refresh token of the session to end.',
      )
    }
    const event = { action: 'logout', facts: { sessionId: row.id } } as const
    await this.revoke(row.id, 'logout', { actor, event })
  }

  /** Revokes a session of the member on the service's own initiative. Returns true to exactly one of many callers. */
  revokeAsSystem(
    member: Member,
    sessionId: string,
    reason: 'removed member' | 'refresh token used twice',
  ): Promise<boolean> {
    const event = { action: 'session.revoke', facts: { sessionId } } as const
    return this.revoke(sessionId, reason, { actor: systemActorOf(member, reason), event })
  }

  /** Counts the active sessions of a user in all organizations. */
  count(userId: string): Promise<number> {
    return store.countSessionsOf(this.#sql, userId, this.#clock.now())
  }

  /** Revokes all sessions of a user at their request, and the logins that they approved. On return the tokens are invalid. */
  async revokeAll(userId: string): Promise<void> {
    const nowMs = this.#clock.now()
    await this.#sql.tx(async (tx) => {
      // First, so that a concurrent login has either opened its session already or never will.
      await denyApprovedCodes(tx, userId)
      const ended = await store.endSessionsOf(tx, userId, nowMs)
      // The same order everywhere prevents deadlocks on the entry numbers.
      for (const { id, org_id: orgId } of ended.toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1))) {
        await appendAudit(tx, personActorOf({ orgId, userId }), {
          action: 'session.revoke',
          nowMs,
          facts: { sessionId: id },
        })
      }
    })
    this.#cache.forgetWhere((session) => session.userId === userId)
  }

  /** Confirms a session of the person at a time. Throws NOT_FOUND. */
  async confirm(actor: Actor, id: string, confirmedAtMs: number): Promise<void> {
    const { orgId, id: userId } = actor
    const isConfirmed = await this.#sql.tx(async (tx) => {
      if (!(await store.confirmSession(tx, { orgId, userId, id }, confirmedAtMs))) return false
      await appendAudit(tx, actor, { action: 'session.confirm', nowMs: this.#clock.now(), facts: { sessionId: id } })
      return true
    })
    this.forget(id)
    if (!isConfirmed) throw noSession()
  }

  /** Forgets a session, so that it is read again. */
  forget(sessionId: string): void {
    this.#cache.forgetWhere(({ id }) => id === sessionId)
  }

  /** Forgets the tokens of a trust, after they were ended. */
  forgetTrust(trustId: string): void {
    this.#cache.forgetWhere(({ scope }) => scope?.trustId === trustId)
  }

  /** Forgets the service tokens, those of trusts, and the client keys that are limited to a project or stage, after they were ended with it. */
  forgetScope(place: TokenPlace): void {
    this.#cache.forgetWhere(
      ({ orgId, scope }) =>
        orgId === place.orgId &&
        scope?.projectSlug === place.projectSlug &&
        (place.stageSlug === undefined || scope.stageSlug === place.stageSlug),
    )
  }

  /** Forgets all sessions of an organization, after they were ended with it. */
  forgetOrganization(orgId: string): void {
    this.#cache.forgetWhere((session) => session.orgId === orgId)
  }

  /**
   * Revokes a session. Returns true to exactly one of many callers. On return its tokens are invalid. The event goes to the audit log.
   */
  async revoke(
    sessionId: string,
    reason: RevocationReason,
    { actor, event }: { readonly actor: Actor; readonly event: AuditEvent },
  ): Promise<boolean> {
    const nowMs = this.#clock.now()
    const revoked = await this.#sql.tx(async (tx) => {
      if (!(await store.revokeSession(tx, sessionId, nowMs, reason))) return false
      await appendAudit(tx, actor, { ...event, nowMs })
      return true
    })
    this.forget(sessionId)
    return revoked
  }
}

export function noSession(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'You have no active session with this id: list your sessions to see the current ids.',
  )
}

function memberOf({ org_id: orgId, user_id: userId }: RefreshRow): Member {
  return { orgId, userId }
}

/** Returns undefined for a session that was revoked or does not exist. */
function sessionOf(row: AccessRow | undefined): Session | undefined {
  if (!row || row.revoked_at_ms !== null) return undefined
  return {
    id: row.id,
    orgId: row.org_id,
    orgSlug: row.org_slug,
    idpOrgId: row.idp_org_id,
    userId: row.user_id,
    name: row.name ?? undefined,
    accessTokenExpiresAtMs: row.expires_at_ms,
    tokenHash: row.hash,
    memberSeenAtMs: row.member_seen_at_ms,
    confirmedAtMs: row.confirmed_at_ms ?? undefined,
    version: row.version,
    scope: scopeOf(row),
  }
}

function scopeOf(row: AccessRow): TokenScope | undefined {
  const { project_slug, stage_slug, role, history, trust_id, origins, evaluations_per_month } = row
  const clientKey =
    origins === null
      ? undefined
      : { origins: JSON.parse(origins) as string[], evaluationsPerMonth: evaluations_per_month ?? undefined }
  if (role === null && !clientKey) return undefined
  return {
    projectSlug: project_slug ?? undefined,
    stageSlug: stage_slug ?? undefined,
    role: role ?? 'reader',
    history: history === 1,
    trustId: trust_id ?? undefined,
    clientKey,
  }
}
