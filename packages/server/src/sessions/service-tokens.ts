/** Service tokens: sessions of machines, without a refresh token (docs/decisions/0011-service-tokens.md). */
import { limits, type ListedServiceToken, type Request, type Response, type ServiceToken } from '@rollkey/contract'
import { operatorId, type Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { newId, newToken } from '../base/random.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/service-tokens.ts'
import type { ServiceTokenRow } from '../storage/service-tokens.ts'
import { requireOrganization } from '../storage/organizations.ts'
import { insertAccessToken, insertSession } from '../storage/sessions.ts'
import type { Sql } from '../storage/sql.ts'
import type { Creators } from './creators.ts'
import type { Sessions } from './sessions.ts'
import { hashOfToken } from './tokens.ts'

const dayMs = 24 * 60 * 60_000

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

  /** Creates a token and returns it. Only its hash is stored, so it cannot be shown again. */
  async create(actor: Actor, request: TokenRequest): Promise<ServiceToken & { readonly token: string }> {
    const { orgId, id: createdBy } = actor
    const id = newId('tok')
    const token = newToken('svc_st_')
    const nowMs = this.#clock.now()
    const { name, projectSlug, stageSlug, readOnly, history } = request
    const expiresAtMs = nowMs + this.#daysOf(request) * dayMs
    await this.#sql.tx(async (tx) => {
      await requireOrganization(tx, orgId)
      await insertSession(tx, { id, orgId, userId: id, clientName: null, nowMs, memberSeenAtMs: nowMs })
      await insertAccessToken(tx, id, { hash: hashOfToken(token), expiresAtMs })
      const scope = { projectSlug: projectSlug ?? null, stageSlug: stageSlug ?? null, readOnly, history }
      await store.insertServiceToken(tx, { id, name, ...scope, createdBy })
      const target = {
        ...(projectSlug !== undefined && { projectSlug }),
        ...(stageSlug !== undefined && { stageSlug }),
      }
      await appendAudit(tx, actor, { action: 'token.create', nowMs, subject: id, ...target })
    })
    return { id, name, projectSlug, stageSlug, readOnly, history, createdBy, createdAtMs: nowMs, expiresAtMs, token }
  }

  /** Returns the lifetime of the token in days. Throws INVALID_REQUEST. */
  #daysOf({ expiresInDays = Math.min(limits.serviceTokenDaysByDefault, this.#maxDays) }: TokenRequest): number {
    if (expiresInDays <= this.#maxDays) return expiresInDays
    throw new ApiError(
      'INVALID_REQUEST',
      `The token would be valid for ${expiresInDays} days (maximum ${this.#maxDays}): request fewer days. The operator sets the maximum with ROLLKEY_SERVICE_TOKEN_DAYS.`,
    )
  }

  /** Returns the active tokens, oldest first, and whether the creator of each is still a member. */
  async list(orgId: string): Promise<ListedServiceToken[]> {
    const rows = await store.serviceTokensOf(this.#sql, orgId, this.#clock.now())
    const people = new Set(rows.map(({ created_by: createdBy }) => createdBy).filter((id) => id !== operatorId))
    const creators = await this.#creators.statusesOf(rows[0]?.idp_org_id ?? '', people)
    return rows
      .toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1))
      .map((row) => ({
        ...serviceTokenOf(row),
        creator: row.created_by === operatorId ? 'operator' : (creators.get(row.created_by) ?? 'unknown'),
      }))
  }

  /** Returns the active tokens that expire within `limits.expiringTokenDays`, the first first. */
  async expiring(orgId: string): Promise<NonNullable<Response<'attention'>['expiringTokens']>> {
    const nowMs = this.#clock.now()
    const rows = await store.serviceTokensOf(this.#sql, orgId, nowMs)
    return rows
      .filter(({ expires_at_ms: expiresAtMs }) => expiresAtMs <= nowMs + limits.expiringTokenDays * dayMs)
      .toSorted((a, b) => a.expires_at_ms - b.expires_at_ms || (a.id < b.id ? -1 : 1))
      .map(({ id, name, expires_at_ms: expiresAtMs }) => ({ id, name, expiresAtMs }))
  }

  /** Returns the token, or undefined if it is revoked or expired. */
  async find(id: string): Promise<ServiceToken | undefined> {
    const row = await store.serviceTokenById(this.#sql, id, this.#clock.now())
    return row && serviceTokenOf(row)
  }

  /** Revokes the token. Of many callers exactly one succeeds. Throws NOT_FOUND for the others and for an inactive token. */
  async revoke(actor: Actor, id: string): Promise<void> {
    const row = await store.serviceTokenById(this.#sql, id, this.#clock.now())
    const by = { actor, action: 'token.revoke' } as const
    if (row?.org_id === actor.orgId && (await this.#sessions.revoke(id, 'revoked', by))) return
    throw new ApiError(
      'NOT_FOUND',
      'The organization has no active service token with this ID: list the active tokens.',
    )
  }
}

function serviceTokenOf(row: ServiceTokenRow): ServiceToken {
  return {
    id: row.id,
    name: row.name,
    projectSlug: row.project_slug ?? undefined,
    stageSlug: row.stage_slug ?? undefined,
    readOnly: row.read_only === 1,
    history: row.history === 1,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    // The creation of a session also sets its last use.
    lastUsedAtMs: row.last_used_at_ms > row.created_at_ms ? row.last_used_at_ms : undefined,
  }
}
