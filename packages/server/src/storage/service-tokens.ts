import type { MachineRole } from '@rollkey/contract'
import { first, type Reader, type Tx } from './sql.ts'

export interface ServiceTokenRow {
  readonly id: string
  readonly org_id: string
  readonly idp_org_id: string
  readonly name: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly role: MachineRole
  readonly history: number
  readonly created_by: string
  readonly created_at_ms: number
  readonly expires_at_ms: number
  /** When the second to last of its secrets ends or ended; null if there is one. */
  readonly former_expires_at_ms: number | null
  readonly last_used_at_ms: number
}

/**
 * The role of a service token `v`. A node of an older version, which still runs during an upgrade, knows only whether a token is
 * read-only.
 */
export const tokenRole = `case when v.read_only = 1 and v.role = 'developer' then 'reader' else v.role end as role`

/** When the last of its secrets ends. After a rotation it has two for some time, which may end together. */
const endsAtMs = `(select max(t.expires_at_ms) from access_tokens t where t.session_id = s.id)`

/** When the secret before the last one ends. */
const formerEndsAtMs = `(select t.expires_at_ms from access_tokens t where t.session_id = s.id
    order by t.expires_at_ms desc limit 1 offset 1)`

const tokens = `select s.id, s.org_id, o.idp_org_id, v.name, v.project_slug, v.stage_slug, ${tokenRole}, v.history, v.created_by, s.created_at_ms,
    ${endsAtMs} as expires_at_ms, ${formerEndsAtMs} as former_expires_at_ms, s.last_used_at_ms
  from service_tokens v join sessions s on s.id = v.session_id join organizations o on o.id = s.org_id`

/** Returns the service token if it is live at `nowMs`. */
export function serviceTokenById(sql: Reader, id: string, nowMs: number): Promise<ServiceTokenRow | undefined> {
  return first(
    sql.all(
      `${tokens} where s.id = $1 and v.trust_id is null and s.revoked_at_ms is null and ${endsAtMs} > $2`,
      id,
      nowMs,
    ),
  )
}

/** Returns all service tokens of an organization that are live at `nowMs`. */
export function serviceTokensOf(sql: Reader, orgId: string, nowMs: number): Promise<ServiceTokenRow[]> {
  return sql.all(
    `${tokens} where s.org_id = $1 and s.user_id = s.id and v.trust_id is null and s.revoked_at_ms is null and ${endsAtMs} > $2`,
    orgId,
    nowMs,
  )
}

/** A service token that ends soon. */
export interface ExpiringTokenRow {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly created_by: string
  readonly expires_at_ms: number
}

/** Returns up to `limit` service tokens that end within a time and live for longer than that, and whose end is not announced yet. */
export function expiringTokens(
  sql: Reader,
  { nowMs, withinMs, limit }: { nowMs: number; withinMs: number; limit: number },
): Promise<ExpiringTokenRow[]> {
  return sql.all(
    `select s.id, s.org_id, v.name, v.project_slug, v.stage_slug, v.created_by, t.expires_at_ms
     from access_tokens t join service_tokens v on v.session_id = t.session_id join sessions s on s.id = t.session_id
     where t.expires_at_ms > $1 and t.expires_at_ms <= $2 and t.expires_at_ms - s.created_at_ms > $3
       and v.trust_id is null and s.revoked_at_ms is null
       and (v.announced_end_ms is null or v.announced_end_ms < t.expires_at_ms)
       and not exists (select 1 from access_tokens l where l.session_id = t.session_id and l.expires_at_ms > t.expires_at_ms)
     order by t.expires_at_ms limit $4`,
    nowMs,
    nowMs + withinMs,
    withinMs,
    limit,
  )
}

/** Records that the end of a service token is announced. Returns true for exactly one of many callers. */
export async function markAnnounced(tx: Tx, id: string, expiresAtMs: number): Promise<boolean> {
  const rows = await tx.all(
    `update service_tokens set announced_end_ms = $2
     where session_id = $1 and (announced_end_ms is null or announced_end_ms < $2) returning session_id`,
    id,
    expiresAtMs,
  )
  return rows.length === 1
}

/** A service token that was valid at a time. */
export type PastServiceToken = Pick<ServiceTokenRow, 'id' | 'project_slug' | 'stage_slug' | 'role'>

/** Returns the service tokens that were valid at a time. */
export function serviceTokensAt(sql: Reader, orgId: string, timeMs: number): Promise<PastServiceToken[]> {
  return sql.all(
    `select s.id, v.project_slug, v.stage_slug, ${tokenRole} from service_tokens v join sessions s on s.id = v.session_id
     where s.org_id = $1 and s.user_id = s.id and v.trust_id is null and s.created_at_ms <= $2 and (s.revoked_at_ms is null or s.revoked_at_ms > $2)
       and exists (select 1 from access_tokens t where t.session_id = s.id and t.expires_at_ms > $2)
     order by s.created_at_ms, s.id`,
    orgId,
    timeMs,
  )
}

export interface NewServiceToken {
  readonly id: string
  readonly name: string
  readonly projectSlug: string | null
  readonly stageSlug: string | null
  readonly role: MachineRole
  readonly history: boolean
  readonly createdBy: string
  /** The trust that the token was exchanged for; null for a service token that a person created. */
  readonly trustId: string | null
}

/** Makes the session with the same id a service token, or the exchanged token of a trust. The session and its access token exist already. */
export async function insertServiceToken(tx: Tx, row: NewServiceToken): Promise<void> {
  await tx.all(
    `insert into service_tokens (session_id, name, project_slug, stage_slug, read_only, role, history, created_by,
       trust_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    row.id,
    row.name,
    row.projectSlug,
    row.stageSlug,
    row.role === 'developer' ? 0 : 1,
    row.role,
    row.history ? 1 : 0,
    row.createdBy,
    row.trustId,
  )
}

/** The project or stage to which service tokens are limited. */
export interface TokenPlace {
  readonly orgId: string
  readonly projectSlug: string
  readonly stageSlug?: string
}

/** A service token or client key that ended with its place. */
export interface EndedCredential {
  readonly id: string
  readonly name: string
}

/** Ends the service tokens that are limited to a project or stage, or to less. Returns those that were valid. */
export function endServiceTokens(
  tx: Tx,
  { orgId, projectSlug, stageSlug }: TokenPlace,
  nowMs: number,
): Promise<EndedCredential[]> {
  return tx.all(
    `update sessions set revoked_at_ms = $4, revoked_because = 'deleted'
     where org_id = $1 and revoked_at_ms is null
       and id in (select v.session_id from service_tokens v join access_tokens t on t.session_id = v.session_id
         where v.trust_id is null and v.project_slug = $2 and (cast($3 as text) is null or v.stage_slug = $3) and t.expires_at_ms > $4)
     returning id, (select v.name from service_tokens v where v.session_id = sessions.id) as name`,
    orgId,
    projectSlug,
    stageSlug ?? null,
    nowMs,
  )
}
