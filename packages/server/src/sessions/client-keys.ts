/** Client keys: sessions of programs that everyone can read, such as web pages (docs/client-keys.md). */
import { limits, type ClientKey, type Place, type Request, type Response } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { newId, newToken } from '../base/random.ts'
import { requirePlace } from '../storage/access.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/client-keys.ts'
import type { ClientKeyRow } from '../storage/client-keys.ts'
import { insertAccessToken, insertSession } from '../storage/sessions.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import type { Sessions } from './sessions.ts'
import { hashOfToken } from './tokens.ts'

/** A key is valid until it is revoked, because programs that people have installed cannot be given another one. */
const neverMs = Number.MAX_SAFE_INTEGER

type KeyRequest = Omit<Request<'keyCreate'>, 'orgSlug'>

/** Returns whether keys of this place are meant. */
type IncludesPlace = (place: Place) => boolean

/** The evaluations that keys have made and may make. */
interface Quotas {
  /** Maximum per month of a key that has no other. */
  readonly standard: number
  /** Returns the evaluations of this month by key. */
  used(orgId: string): Promise<ReadonlyMap<string, number>>
}

export class ClientKeys {
  readonly #sql: Sql
  readonly #sessions: Sessions
  readonly #quotas: Quotas
  readonly #clock: Clock

  constructor(parts: { sql: Sql; sessions: Sessions; quotas: Quotas; clock: Clock }) {
    this.#sql = parts.sql
    this.#sessions = parts.sessions
    this.#quotas = parts.quotas
    this.#clock = parts.clock
  }

  /** Creates a key. `hold` keeps the rules, by which the actor may do it, until the transaction ends. Throws INVALID_REQUEST and NOT_FOUND. */
  async create(actor: Actor, request: KeyRequest, hold: (tx: Tx) => Promise<void>): Promise<ClientKey> {
    const { orgId, id: createdBy } = actor
    if ((await store.clientKeysOf(this.#sql, orgId)).length >= limits.clientKeys)
      throw new ApiError(
        'INVALID_REQUEST',
        `The organization has ${limits.clientKeys} client keys (the maximum): revoke one that is not needed.`,
      )
    const { name, projectSlug, stageSlug, origins, evaluationsPerMonth } = request
    const id = newId('key')
    const clientKey = newToken('svc_ck_')
    const nowMs = this.#clock.now()
    const terms = { name, projectSlug, stageSlug, origins, evaluationsPerMonth: evaluationsPerMonth ?? null }
    await this.#sql.tx(async (tx) => {
      await hold(tx)
      await requirePlace(tx, orgId, { projectSlug, stageSlug })
      await insertSession(tx, { id, orgId, userId: id, clientName: null, nowMs, memberSeenAtMs: nowMs })
      await insertAccessToken(tx, id, { hash: hashOfToken(clientKey), expiresAtMs: neverMs })
      await store.insertClientKey(tx, { id, clientKey, ...terms, createdBy })
      const facts = { keyId: id, name, origins: [...origins] }
      await appendAudit(tx, actor, { action: 'client-key.create', nowMs, projectSlug, stageSlug, facts })
    })
    const row = await store.clientKeyById(this.#sql, id)
    if (!row) throw noKey()
    return this.#keyOf(row)
  }

  /** Returns the keys of places that `includes` accepts, oldest first, with their evaluations of this month. */
  async list(orgId: string, includes: IncludesPlace): Promise<Response<'keyList'>['keys']> {
    const rows = (await store.clientKeysOf(this.#sql, orgId)).filter((row) => includes(placeOf(row)))
    const used = rows.length === 0 ? new Map<string, number>() : await this.#quotas.used(orgId)
    return rows
      .toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1))
      .map((row) => ({ ...this.#keyOf(row), evaluationsThisMonth: used.get(row.id) ?? 0 }))
  }

  /** Revokes a key, if `includes` accepts its place. Of many callers exactly one succeeds. Throws NOT_FOUND for the others. */
  async revoke(actor: Actor, id: string, includes: IncludesPlace): Promise<void> {
    const row = await store.clientKeyById(this.#sql, id)
    if (row?.org_id !== actor.orgId || !includes(placeOf(row))) throw noKey()
    const event = { action: 'client-key.revoke', facts: { keyId: id, name: row.name } } as const
    if (!(await this.#sessions.revoke(id, 'revoked', { actor, event }))) throw noKey()
  }

  #keyOf(row: ClientKeyRow): ClientKey {
    return {
      id: row.id,
      name: row.name,
      ...placeOf(row),
      origins: JSON.parse(row.origins) as string[],
      evaluationsPerMonth: row.evaluations_per_month ?? this.#quotas.standard,
      key: row.client_key,
      createdBy: row.created_by,
      createdAtMs: row.created_at_ms,
      // The creation of a session also sets its last use.
      lastUsedAtMs: row.last_used_at_ms > row.created_at_ms ? row.last_used_at_ms : undefined,
    }
  }
}

function noKey(): ApiError {
  return new ApiError('NOT_FOUND', 'The organization has no client key with this ID: list the client keys.')
}

function placeOf({ project_slug: projectSlug, stage_slug: stageSlug }: ClientKeyRow) {
  return { projectSlug, stageSlug }
}
