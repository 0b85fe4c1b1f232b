import { first, type Reader, type Tx } from './sql.ts'

export interface ServiceTokenRow {
  readonly id: string
  readonly org_id: string
  readonly idp_org_id: string
  readonly name: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly read_only: number
  readonly history: number
  readonly created_by: string
  readonly created_at_ms: number
  readonly expires_at_ms: number
  readonly last_used_at_ms: number
}

const tokens = `select s.id, s.org_id, o.idp_org_id, v.name, v.project_slug, v.stage_slug, v.read_only, v.history, v.created_by, s.created_at_ms,
    t.expires_at_ms, s.last_used_at_ms
  from service_tokens v join sessions s on s.id = v.session_id join access_tokens t on t.session_id = s.id
    join organizations o on o.id = s.org_id`

/** Returns the service token if it is live at `nowMs`. */
export function serviceTokenById(sql: Reader, id: string, nowMs: number): Promise<ServiceTokenRow | undefined> {
  return first(sql.all(`${tokens} where s.id = $1 and s.revoked_at_ms is null and t.expires_at_ms > $2`, id, nowMs))
}

/** Returns all service tokens of an organization that are live at `nowMs`. */
export function serviceTokensOf(sql: Reader, orgId: string, nowMs: number): Promise<ServiceTokenRow[]> {
  return sql.all(`${tokens} where s.org_id = $1 and s.revoked_at_ms is null and t.expires_at_ms > $2`, orgId, nowMs)
}

export interface NewServiceToken {
  readonly id: string
  readonly name: string
  readonly projectSlug: string | null
  readonly stageSlug: string | null
  readonly readOnly: boolean
  readonly history: boolean
  readonly createdBy: string
}

/** Makes the session with the same id a service token. The session and its access token exist already. */
export async function insertServiceToken(tx: Tx, row: NewServiceToken): Promise<void> {
  await tx.all(
    `insert into service_tokens (session_id, name, project_slug, stage_slug, read_only, history, created_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    row.id,
    row.name,
    row.projectSlug,
    row.stageSlug,
    row.readOnly ? 1 : 0,
    row.history ? 1 : 0,
    row.createdBy,
  )
}

/** The project or stage to which service tokens are limited. */
export interface TokenPlace {
  readonly orgId: string
  readonly projectSlug: string
  readonly stageSlug?: string
}

/** Ends the service tokens that are limited to a project or stage, or to less. Returns the ids of those that were valid. */
export async function endServiceTokens(
  tx: Tx,
  { orgId, projectSlug, stageSlug }: TokenPlace,
  nowMs: number,
): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `update sessions set revoked_at_ms = $4, revoked_because = 'deleted'
     where org_id = $1 and revoked_at_ms is null
       and id in (select v.session_id from service_tokens v join access_tokens t on t.session_id = v.session_id
         where v.project_slug = $2 and (cast($3 as text) is null or v.stage_slug = $3) and t.expires_at_ms > $4)
     returning id`,
    orgId,
    projectSlug,
    stageSlug ?? null,
    nowMs,
  )
  return rows.map(({ id }) => id)
}
