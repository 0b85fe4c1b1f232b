import type { MachineRole } from '@rollkey/contract'
import type { TokenPlace } from './service-tokens.ts'
import { first, type Reader, type Tx } from './sql.ts'

export interface TrustRow {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly issuer: string
  readonly audience: string
  /** JSON. */
  readonly claims: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly role: MachineRole
  readonly history: number
  readonly lifetime_sec: number
  readonly forks: number
  readonly jwks: string | null
  /** Counts its changes. */
  readonly version: number
  readonly created_by: string
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly last_used_at_ms: number | null
}

const columns = `id, org_id, name, issuer, audience, claims, project_slug, stage_slug, role, history, lifetime_sec, forks, jwks, version,
  created_by, created_at_ms, updated_at_ms, last_used_at_ms`

export function trustById(sql: Reader, id: string): Promise<TrustRow | undefined> {
  return first(sql.all(`select ${columns} from trusts where id = $1`, id))
}

/** Returns whether a trust belongs to the organization with this slug. */
export async function isTrustOf(sql: Reader, id: string, orgSlug: string): Promise<boolean> {
  const rows = await sql.all(
    'select t.id from trusts t join organizations o on o.id = t.org_id where t.id = $1 and o.slug = $2',
    id,
    orgSlug,
  )
  return rows.length === 1
}

/** Returns all trusts of an organization. */
export function trustsOf(sql: Reader, orgId: string): Promise<TrustRow[]> {
  return sql.all(`select ${columns} from trusts where org_id = $1`, orgId)
}

export async function insertTrust(tx: Tx, row: TrustRow): Promise<void> {
  await tx.all(
    `insert into trusts (${columns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    row.id,
    row.org_id,
    row.name,
    row.issuer,
    row.audience,
    row.claims,
    row.project_slug,
    row.stage_slug,
    row.role,
    row.history,
    row.lifetime_sec,
    row.forks,
    row.jwks,
    row.version,
    row.created_by,
    row.created_at_ms,
    row.updated_at_ms,
    row.last_used_at_ms,
  )
}

/** Updates everything but the place of a trust. Returns false if it was deleted or changed since it was read. */
export async function updateTrust(tx: Tx, row: TrustRow): Promise<boolean> {
  const rows = await tx.all(
    `update trusts set name = $3, issuer = $4, audience = $5, claims = $6, role = $7, history = $8, lifetime_sec = $9,
       forks = $10, jwks = $11, updated_at_ms = $12, version = version + 1
     where id = $1 and version = $2 returning id`,
    row.id,
    row.version,
    row.name,
    row.issuer,
    row.audience,
    row.claims,
    row.role,
    row.history,
    row.lifetime_sec,
    row.forks,
    row.jwks,
    row.updated_at_ms,
  )
  return rows.length === 1
}

/**
 * Locks a trust and records that a token was exchanged. Returns false if it was deleted or changed since it was read, so that no
 * token outlives the trust that it was checked against.
 */
export async function useTrust(tx: Tx, id: string, version: number, nowMs: number): Promise<boolean> {
  const rows = await tx.all(
    'update trusts set last_used_at_ms = $3 where id = $1 and version = $2 returning id',
    id,
    version,
    nowMs,
  )
  return rows.length === 1
}

/** Deletes a trust. Returns true for exactly one of many callers. */
export async function deleteTrust(tx: Tx, id: string): Promise<boolean> {
  return (await tx.all('delete from trusts where id = $1 returning id', id)).length === 1
}

/** A trust that was deleted with its place. */
export interface DeletedTrust {
  readonly id: string
  readonly name: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly role: MachineRole
}

/** Deletes the trusts that are limited to a project or stage, or to less. Returns them. */
export function deleteTrustsAt(tx: Tx, { orgId, projectSlug, stageSlug }: TokenPlace): Promise<DeletedTrust[]> {
  return tx.all(
    `delete from trusts where org_id = $1 and project_slug = $2 and (cast($3 as text) is null or stage_slug = $3)
     returning id, name, project_slug, stage_slug, role`,
    orgId,
    projectSlug,
    stageSlug ?? null,
  )
}

/** Deletes all trusts of an organization. Its sessions are ended separately. */
export async function deleteTrustsOf(tx: Tx, orgId: string): Promise<void> {
  await tx.all('delete from trusts where org_id = $1', orgId)
}

/** Ends all tokens that were exchanged for a trust. Its row must be locked or deleted, so that no other is being exchanged. */
export async function endTokensOfTrust(tx: Tx, trustId: string, nowMs: number): Promise<void> {
  await tx.all(
    `update sessions set revoked_at_ms = $2, revoked_because = 'trust changed'
     where revoked_at_ms is null and id in (select session_id from service_tokens where trust_id = $1)`,
    trustId,
    nowMs,
  )
}
