/** Service tokens: sessions of machines, which nobody refreshes (docs/decisions/0011-service-tokens.md). */
import type { Request, ServiceToken } from '@rollkey/contract'
import type { Actor } from '../base/actor.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { newId, newToken } from '../base/random.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/service-tokens.ts'
import type { ServiceTokenRow } from '../storage/service-tokens.ts'
import { insertAccessToken, insertSession } from '../storage/sessions.ts'
import type { Sql } from '../storage/sql.ts'
import type { Sessions } from './sessions.ts'
import { hashOfToken } from './tokens.ts'

const day = 24 * 60 * 60_000

type Asked = Omit<Request<'tokenCreate'>, 'orgSlug'>

export class ServiceTokens {
  readonly #sql: Sql
  readonly #sessions: Sessions
  readonly #clock: Clock

  constructor(parts: { sql: Sql; sessions: Sessions; clock: Clock }) {
    this.#sql = parts.sql
    this.#sessions = parts.sessions
    this.#clock = parts.clock
  }

  /** The only time that the token itself is seen. */
  async create(actor: Actor, asked: Asked): Promise<ServiceToken & { readonly token: string }> {
    const { orgId, id: createdBy } = actor
    const id = newId('tok')
    const token = newToken('svc_st_')
    const nowMs = this.#clock.now()
    const { name, projectSlug, stageSlug, readOnly } = asked
    const expiresAtMs = nowMs + asked.expiresInDays * day
    await this.#sql.tx(async (tx) => {
      await insertSession(tx, { id, orgId, userId: id, clientName: null, nowMs, memberSeenAtMs: nowMs })
      await insertAccessToken(tx, id, { hash: hashOfToken(token), expiresAtMs })
      const reach = { projectSlug: projectSlug ?? null, stageSlug: stageSlug ?? null, readOnly }
      await store.insertServiceToken(tx, { id, name, ...reach, createdBy })
      const place = { ...(projectSlug !== undefined && { projectSlug }), ...(stageSlug !== undefined && { stageSlug }) }
      await appendAudit(tx, actor, { action: 'token.create', nowMs, subject: id, ...place })
    })
    return { id, name, projectSlug, stageSlug, readOnly, createdBy, createdAtMs: nowMs, expiresAtMs, token }
  }

  /** Those that are neither revoked nor expired, the oldest first. */
  async list(orgId: string): Promise<ServiceToken[]> {
    const rows = await store.serviceTokensOf(this.#sql, orgId, this.#clock.now())
    return rows.toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1)).map(serviceTokenOf)
  }

  /** Undefined of one that is revoked or expired. */
  async find(id: string): Promise<ServiceToken | undefined> {
    const row = await store.serviceTokenById(this.#sql, id, this.#clock.now())
    return row && serviceTokenOf(row)
  }

  /** Ends the token for exactly one of many callers; throws NOT_FOUND for the others, and for one that is not live. */
  async revoke(actor: Actor, id: string): Promise<void> {
    const row = await store.serviceTokenById(this.#sql, id, this.#clock.now())
    const by = { actor, action: 'token.revoke' } as const
    if (row?.org_id === actor.orgId && (await this.#sessions.revoke(id, 'revoked', by))) return
    throw new Fault('NOT_FOUND', 'The organization has no service token of this id.')
  }
}

function serviceTokenOf(row: ServiceTokenRow): ServiceToken {
  return {
    id: row.id,
    name: row.name,
    projectSlug: row.project_slug ?? undefined,
    stageSlug: row.stage_slug ?? undefined,
    readOnly: row.read_only === 1,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    // A session begins as used at its creation.
    lastUsedAtMs: row.last_used_at_ms > row.created_at_ms ? row.last_used_at_ms : undefined,
  }
}
