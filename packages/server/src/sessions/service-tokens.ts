/** Service tokens: sessions of machines, without a refresh token (docs/decisions/0011-service-tokens.md). */
import {
  limits,
  type ListedServiceToken,
  type MachineRole,
  type Place,
  type Request,
  type Response,
  type ServiceToken,
} from '@rollkey/contract'
import { operatorId, type Actor } from '../storage/actor.ts'
import { countText } from '../base/count-text.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { newId, newToken } from '../base/random.ts'
import { requirePlace } from '../storage/access.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/service-tokens.ts'
import type { ServiceTokenRow } from '../storage/service-tokens.ts'
import { requireOrganization } from '../storage/organizations.ts'
import { capAccessTokens, changeSession, insertAccessToken, insertSession } from '../storage/sessions.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import type { Creators } from './creators.ts'
import type { Sessions } from './sessions.ts'
import { hashOfToken } from './tokens.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

/** Returns whether tokens with this place as their scope are meant. */
type IncludesPlace = (place: Place) => boolean

type TokenRequest = Omit<Request<'tokenCreate'>, 'orgSlug'>

export class ServiceTokens {
  readonly #sql: Sql
  readonly #sessions: Sessions
  readonly #clock: Clock
  readonly #maxDays: number
  readonly #creators: Creators

  /** `maxDays` is the maximum lifetime of a new token. */
  constructor(parts: { sql: Sql; sessions: Sessions; clock: Clock; maxDays: number; creators: Creators }) {
    this.#sql = parts.sql
    this.#sessions = parts.sessions
    this.#clock = parts.clock
    this.#maxDays = parts.maxDays
    this.#creators = parts.creators
  }

  /**
   * Creates a token and returns it. Only its hash is stored, so it cannot be shown again. `hold` keeps the rules, by which the actor
   * may do it, until the transaction ends. Throws NOT_FOUND if there is no such project or stage.
   */
  async create(
    actor: Actor,
    request: TokenRequest,
    hold: (tx: Tx) => Promise<void> = (tx) => requireOrganization(tx, actor.orgId),
  ): Promise<ServiceToken & { readonly token: string }> {
    const { orgId, id: createdBy } = actor
    const id = newId('tok')
    const token = newToken('svc_st_')
    const nowMs = this.#clock.now()
    const { name, projectSlug, stageSlug, history } = request
    const role = roleOf(request)
    const expiresAtMs = nowMs + this.#daysOf(request) * dayMs
    await this.#sql.tx(async (tx) => {
      await hold(tx)
      await requirePlace(tx, orgId, { projectSlug, stageSlug })
      await insertSession(tx, { id, orgId, userId: id, clientName: null, nowMs, memberSeenAtMs: nowMs })
      await insertAccessToken(tx, id, { hash: hashOfToken(token), expiresAtMs })
      const scope = { projectSlug: projectSlug ?? null, stageSlug: stageSlug ?? null, role, history }
      await store.insertServiceToken(tx, { id, name, ...scope, createdBy, trustId: null })
      const target = {
        ...(projectSlug !== undefined && { projectSlug }),
        ...(stageSlug !== undefined && { stageSlug }),
      }
      await appendAudit(tx, actor, { action: 'token.create', nowMs, facts: { tokenId: id, name }, ...target })
    })
    const readOnly = role !== 'developer'
    const times = { createdAtMs: nowMs, expiresAtMs }
    return { id, name, projectSlug, stageSlug, role, readOnly, history, createdBy, ...times, token }
  }

  /** Returns the active token of the organization. Throws NOT_FOUND. */
  async get(orgId: string, id: string): Promise<ServiceToken> {
    const row = await store.serviceTokenById(this.#sql, id, this.#clock.now())
    if (row?.org_id !== orgId) throw noToken()
    return serviceTokenOf(row)
  }

  /** Issues another token with the same id and rights. The former one ends after the overlap. Throws NOT_FOUND. */
  async rotate(
    actor: Actor,
    { id, overlapHours, expiresInDays }: Omit<Request<'tokenRotate'>, 'orgSlug'>,
    hold: (tx: Tx) => Promise<void>,
  ): Promise<Response<'tokenRotate'>> {
    const former = await this.get(actor.orgId, id)
    const token = newToken('svc_st_')
    const nowMs = this.#clock.now()
    const expiresAtMs = nowMs + this.#daysOf({ expiresInDays }) * dayMs
    const formerExpiresAtMs = Math.min(former.expiresAtMs, nowMs + overlapHours * hourMs)
    try {
      await this.#sql.tx(async (tx) => {
        await hold(tx)
        await requirePlace(tx, actor.orgId, former)
        if (!(await changeSession(tx, id))) throw noToken()
        await capAccessTokens(tx, id, formerExpiresAtMs)
        await insertAccessToken(tx, id, { hash: hashOfToken(token), expiresAtMs, madeBy: actor.id })
        await appendAudit(tx, actor, { action: 'token.rotate', nowMs, facts: { tokenId: id, name: former.name } })
      })
    } finally {
      // A commit whose answer was lost may have succeeded.
      this.#sessions.forget(id)
    }
    return { ...former, expiresAtMs, token, formerExpiresAtMs }
  }

  /** Returns the lifetime of the token in days. Throws INVALID_REQUEST. */
  #daysOf({
    expiresInDays = Math.min(limits.serviceTokenDaysByDefault, this.#maxDays),
  }: Pick<TokenRequest, 'expiresInDays'>): number {
    if (expiresInDays <= this.#maxDays) return expiresInDays
    throw new ApiError(
      'INVALID_REQUEST',
      `The token would be valid for ${countText(expiresInDays, 'day')} (maximum ${this.#maxDays}): request fewer days. The operator sets the maximum with ROLLKEY_SERVICE_TOKEN_DAYS.`,
    )
  }

  /** Returns the active tokens of places that `includes` accepts, oldest first, and whether the creator of each is still a member. */
  async list(orgId: string, includes: IncludesPlace = () => true): Promise<ListedServiceToken[]> {
    const nowMs = this.#clock.now()
    const rows = (await store.serviceTokensOf(this.#sql, orgId, nowMs)).filter((row) => includes(placeOf(row)))
    const people = new Set(rows.map(({ created_by: createdBy }) => createdBy).filter((id) => id !== operatorId))
    const creators = await this.#creators.statusesOf(rows[0]?.idp_org_id ?? '', people)
    return rows
      .toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1))
      .map((row) => ({
        ...serviceTokenOf(row),
        formerExpiresAtMs: formerEndOf(row, nowMs),
        creator: row.created_by === operatorId ? 'operator' : (creators.get(row.created_by) ?? 'unknown'),
      }))
  }

  /** Returns the active tokens that expire within `limits.expiringTokenDays`, the first first. */
  async expiring(
    orgId: string,
    includes: IncludesPlace,
  ): Promise<NonNullable<Response<'attention'>['expiringTokens']>> {
    const nowMs = this.#clock.now()
    const rows = await store.serviceTokensOf(this.#sql, orgId, nowMs)
    return rows
      .filter((row) => row.expires_at_ms <= nowMs + limits.expiringTokenDays * dayMs && includes(placeOf(row)))
      .toSorted((a, b) => a.expires_at_ms - b.expires_at_ms || (a.id < b.id ? -1 : 1))
      .map(({ id, name, expires_at_ms: expiresAtMs }) => ({ id, name, expiresAtMs }))
  }

  /** Returns the token, or undefined if it is revoked or expired. */
  async find(id: string): Promise<ServiceToken | undefined> {
    const row = await store.serviceTokenById(this.#sql, id, this.#clock.now())
    return row && serviceTokenOf(row)
  }

  /**
   * Revokes the token, if `includes` accepts its place. Of many callers exactly one succeeds. Throws NOT_FOUND for the others and for
   * an inactive token.
   */
  async revoke(actor: Actor, id: string, includes: IncludesPlace = () => true): Promise<void> {
    const row = await store.serviceTokenById(this.#sql, id, this.#clock.now())
    if (row?.org_id !== actor.orgId || !includes(placeOf(row))) throw noToken()
    const event = { action: 'token.revoke', facts: { tokenId: id, name: row.name } } as const
    if (!(await this.#sessions.revoke(id, 'revoked', { actor, event }))) throw noToken()
  }
}

/** Returns the role of a new token. Without one, `readOnly` decides. */
export function roleOf({ role, readOnly }: Pick<TokenRequest, 'role' | 'readOnly'>): MachineRole {
  return role ?? (readOnly ? 'reader' : 'developer')
}

export function noToken(): ApiError {
  return new ApiError('NOT_FOUND', 'The organization has no active service token with this ID: list the active tokens.')
}

function placeOf({ project_slug: projectSlug, stage_slug: stageSlug }: ServiceTokenRow): Place {
  return { projectSlug: projectSlug ?? undefined, stageSlug: stageSlug ?? undefined }
}

/** Returns when the former secret ends; undefined if only one works. */
function formerEndOf({ former_expires_at_ms: endsAtMs }: ServiceTokenRow, nowMs: number): number | undefined {
  return endsAtMs !== null && endsAtMs > nowMs ? endsAtMs : undefined
}

function serviceTokenOf(row: ServiceTokenRow): ServiceToken {
  return {
    id: row.id,
    name: row.name,
    projectSlug: row.project_slug ?? undefined,
    stageSlug: row.stage_slug ?? undefined,
    role: row.role,
    readOnly: row.role !== 'developer',
    history: row.history === 1,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    // The creation of a session also sets its last use.
    lastUsedAtMs: row.last_used_at_ms > row.created_at_ms ? row.last_used_at_ms : undefined,
  }
}
