import { randomUUID } from 'node:crypto'
import type { AuditAction, AuditFacts } from '@rollkey/contract'
import type { Actor } from './actor.ts'
import { contentDigestOf, entryDigestOf, joinNames, textOfFacts, valuesOf, type AuditContent } from './audit-content.ts'
import { first, type Reader, type Tx } from './sql.ts'

/** Whether an action may have no facts. */
type MayLack<Facts> = Facts extends Record<string, never> ? true : Partial<Facts> extends Facts ? true : false
type WithFacts<Facts> = MayLack<Facts> extends true ? { readonly facts?: Facts | undefined } : { readonly facts: Facts }
type ActionWithFacts = {
  [Action in AuditAction]: { readonly action: Action } & WithFacts<AuditFacts<Action>>
}[AuditAction]

/** An action as the audit log records it, never with a value. Its time is that of the transaction. */
export type AuditEvent = ActionWithFacts & {
  readonly projectSlug?: string
  readonly stageSlug?: string
  /** Names of variables. */
  readonly names?: readonly string[]
  /** Number of variables or, for a refusal, of its occurrences. @default the length of `names` */
  readonly nameCount?: number
  /** The revision that the action made or read. */
  readonly revision?: number
}

/** Maximum names in an entry. A longer list is only counted, since the history of the stage has the names. */
const maxNames = 100

function contentOf(actor: Actor, event: AuditEvent): AuditContent {
  const { names } = event
  return {
    salt: randomUUID(),
    actor: actor.id,
    how: actor.how,
    client: actor.client,
    project_slug: event.projectSlug ?? null,
    stage_slug: event.stageSlug ?? null,
    names: names && names.length > 0 && names.length <= maxNames ? joinNames(names) : null,
    name_count: event.nameCount ?? names?.length ?? null,
    revision: event.revision ?? null,
    subject: textOfFacts(event.facts),
    request_id: actor.requestId ?? null,
  }
}

/**
 * Records what this transaction does, under the organization's next number. Call it last: the organization's next entry
 * waits for the number until the transaction ends. Throws AUDIT_NOT_DELIVERED.
 */
export async function appendAudit(tx: Tx, actor: Actor, event: AuditEvent & { readonly nowMs: number }): Promise<void> {
  const { orgId } = actor
  tx.assertAuditOpen?.(orgId)
  const { action, nowMs } = event
  const { guard = 'true' } = tx
  const content = contentOf(actor, event)
  const contentDigest = contentDigestOf(content)
  await Promise.all([
    tx.all(
      `insert into audit_heads (org_id, seq, chain) select $1, 1, chain('', $2) where ${guard}
       on conflict (org_id) do update set seq = audit_heads.seq + 1, chain = chain(audit_heads.chain, $2)`,
      orgId,
      entryDigestOf(orgId, nowMs, action, contentDigest),
    ),
    // Sent before the number is known here. Sent one after the other, they would take two round trips to PostgreSQL.
    tx.all(
      `insert into audit (org_id, seq, chain, at_ms, action, content_digest, salt, actor, how, client, project_slug,
         stage_slug, names, name_count, revision, subject, request_id)
       select org_id, seq, chain, cast($2 as bigint), $3, $4, $5, $6, $7, $8, $9, $10, $11, cast($12 as bigint),
         cast($13 as bigint), $14, $15
       from audit_heads where org_id = $1 and ${guard}`,
      orgId,
      nowMs,
      action,
      contentDigest,
      ...valuesOf(content),
    ),
  ])
}

export interface AuditFilter {
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
  /** Name of a variable. */
  readonly name?: string | undefined
  /** Earliest time, inclusive. */
  readonly fromMs?: number | undefined
  /** Latest time, exclusive. */
  readonly toMs?: number | undefined
  /** Entry number before which to look. */
  readonly before?: number | undefined
  /** Entry number after which to look. */
  readonly after?: number | undefined
}

export interface AuditRow extends Omit<AuditContent, 'salt'> {
  readonly seq: number
  readonly at_ms: number
  readonly action: AuditAction
}

/** Returns the number of the last entry of an audit log; 0 if it has none. */
export async function lastEntry(sql: Reader, orgId: string): Promise<number> {
  const row = await first(sql.all<{ seq: number }>('select seq from audit_heads where org_id = $1', orgId))
  return row?.seq ?? 0
}

/** Returns up to `limit` entries that match the filter, the newest first. */
export function auditOf(sql: Reader, orgId: string, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  return sql.all(
    `select seq, at_ms, actor, how, client, action, project_slug, stage_slug, names, name_count, revision, subject, request_id
     from audit
     where org_id = $1 and seq < $2 and seq > $11 and at_ms >= $3 and at_ms < $4
       and (cast($5 as text) is null or actor = $5) and (cast($6 as text) is null or action = $6)
       and (cast($7 as text) is null or project_slug = $7) and (cast($8 as text) is null or stage_slug = $8)
       and (cast($9 as text) is null or replace(names, $9, '') <> names)
     order by seq desc limit $10`,
    orgId,
    filter.before ?? Number.MAX_SAFE_INTEGER,
    filter.fromMs ?? 0,
    filter.toMs ?? Number.MAX_SAFE_INTEGER,
    filter.actor ?? null,
    filter.action ?? null,
    filter.projectSlug ?? null,
    filter.stageSlug ?? null,
    filter.name === undefined ? null : joinNames([filter.name]),
    limit,
    filter.after ?? 0,
  )
}

/** An entry about who may do what. */
export interface AccessEntry {
  readonly action: AuditAction
  /** Empty if the details were deleted. */
  readonly how: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly subject: string | null
}

/** Returns the entries about who may do what from after a time, the newest first. */
export function accessEntriesAfter(sql: Reader, orgId: string, timeMs: number): Promise<AccessEntry[]> {
  return sql.all(
    `select action, how, project_slug, stage_slug, subject from audit
     where org_id = $1 and at_ms > $2
       and action in ('access.grant', 'access.revoke', 'group.join', 'group.leave', 'role.set', 'role.delete',
         'stage.protect', 'organization.update', 'trust.create', 'trust.update', 'trust.delete')
     order by seq desc`,
    orgId,
    timeMs,
  )
}

/** An entry that describes what a revision did to variables. */
export interface RevisionEntry {
  readonly seq: number
  /** Empty if the details were deleted, which the other fields are then, too. */
  readonly how: string
  readonly at_ms: number
  readonly actor: string
  readonly client: string
  readonly project_slug: string
  readonly stage_slug: string
  readonly revision: number
  readonly name_count: number | null
}

/**
 * Returns up to `limit` entries of changes of variables before an entry, the newest first, also those without details. A revision may
 * have several, one after the other. The list of actions is that of the index.
 */
export function revisionEntries(sql: Reader, orgId: string, before: number, limit: number): Promise<RevisionEntry[]> {
  return sql.all(
    `select seq, how, at_ms, actor, client, project_slug, stage_slug, revision, name_count from audit
     where org_id = $1 and seq < $2
       and action in ('write', 'variable.create', 'variable.update', 'variable.delete', 'chance', 'copy', 'restore')
     order by seq desc limit $3`,
    orgId,
    before,
    limit,
  )
}
