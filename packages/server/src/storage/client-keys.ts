import type { EndedCredential, TokenPlace } from './service-tokens.ts'
import { first, type Reader, type Tx } from './sql.ts'

export interface ClientKeyRow {
  readonly id: string
  readonly org_id: string
  readonly client_key: string
  readonly name: string
  readonly project_slug: string
  readonly stage_slug: string
  /** JSON. */
  readonly origins: string
  readonly evaluations_per_month: number | null
  readonly created_by: string
  readonly created_at_ms: number
  readonly last_used_at_ms: number
}

const keys = `select s.id, s.org_id, k.client_key, k.name, k.project_slug, k.stage_slug, k.origins, k.evaluations_per_month, k.created_by,
    s.created_at_ms, s.last_used_at_ms
  from client_keys k join sessions s on s.id = k.session_id`

/** Returns a client key that is not revoked. */
export function clientKeyById(sql: Reader, id: string): Promise<ClientKeyRow | undefined> {
  return first(sql.all(`${keys} where s.id = $1 and s.revoked_at_ms is null`, id))
}

/** Returns the client keys of an organization that are not revoked. */
export function clientKeysOf(sql: Reader, orgId: string): Promise<ClientKeyRow[]> {
  return sql.all(`${keys} where s.org_id = $1 and s.user_id = s.id and s.revoked_at_ms is null`, orgId)
}

export interface NewClientKey {
  readonly id: string
  readonly clientKey: string
  readonly name: string
  readonly projectSlug: string
  readonly stageSlug: string
  readonly origins: readonly string[]
  readonly evaluationsPerMonth: number | null
  readonly createdBy: string
}

/** Makes the session with the same id a client key. The session and its access token exist already. */
export async function insertClientKey(tx: Tx, row: NewClientKey): Promise<void> {
  await tx.all(
    `insert into client_keys (session_id, client_key, name, project_slug, stage_slug, origins, evaluations_per_month, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    row.id,
    row.clientKey,
    row.name,
    row.projectSlug,
    row.stageSlug,
    JSON.stringify(row.origins),
    row.evaluationsPerMonth,
    row.createdBy,
  )
}

/** Ends the client keys of a stage, or of all stages of a project. Returns those that were not revoked. */
export function endClientKeys(
  tx: Tx,
  { orgId, projectSlug, stageSlug }: TokenPlace,
  nowMs: number,
): Promise<EndedCredential[]> {
  return tx.all(
    `update sessions set revoked_at_ms = $4, revoked_because = 'deleted'
     where org_id = $1 and revoked_at_ms is null
       and id in (select session_id from client_keys
         where project_slug = $2 and (cast($3 as text) is null or stage_slug = $3))
     returning id, (select k.name from client_keys k where k.session_id = sessions.id) as name`,
    orgId,
    projectSlug,
    stageSlug ?? null,
    nowMs,
  )
}
