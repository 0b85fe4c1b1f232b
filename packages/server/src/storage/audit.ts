import type { AuditAction } from '@rollkey/contract'
import type { Actor } from '../base/actor.ts'
import type { Reader, Tx } from './sql.ts'

/** What was done, as the log notes it; never a value. */
export interface AuditEvent {
  readonly action: AuditAction
  readonly nowMs: number
  readonly projectSlug?: string
  readonly stageSlug?: string
  /** Of variables. */
  readonly names?: readonly string[]
  /** How many there are or, of a refusal, how often it came; absent: as many as `names`. */
  readonly nameCount?: number
  /** That it made, or that was looked at. */
  readonly revision?: number
  /** Id of what it was done to, if that is neither a stage nor a variable. */
  readonly subject?: string
}

/** Names of more variables than this are only counted; the history of the stage has them. */
const mostNames = 100

/**
 * Notes what this transaction does, under the organization's next number. To be called last: who comes next waits for the
 * number until the transaction ends.
 */
export async function appendAudit(tx: Tx, actor: Actor, event: AuditEvent): Promise<void> {
  const { names } = event
  await Promise.all([
    tx.all(
      `insert into audit_heads (org_id, seq) values ($1, 1)
       on conflict (org_id) do update set seq = audit_heads.seq + 1`,
      actor.orgId,
    ),
    // Sent before the number is known here: one after the other, they would be two round trips to PostgreSQL.
    tx.all(
      `insert into audit (org_id, seq, at_ms, actor, how, client, action, project_slug, stage_slug, names, name_count,
         revision, subject, request_id)
       select org_id, seq, cast($2 as bigint), $3, $4, $5, $6, $7, $8, $9, cast($10 as bigint), cast($11 as bigint), $12, $13
       from audit_heads where org_id = $1`,
      actor.orgId,
      event.nowMs,
      actor.id,
      actor.how,
      actor.client,
      event.action,
      event.projectSlug ?? null,
      event.stageSlug ?? null,
      names && names.length > 0 && names.length <= mostNames ? linesOf(names) : null,
      event.nameCount ?? names?.length ?? null,
      event.revision ?? null,
      event.subject ?? null,
      actor.requestId ?? null,
    ),
  ])
}

/** No name has a line feed, so a name is in the text exactly if its line is. */
function linesOf(names: readonly string[]): string {
  return `\n${names.join('\n')}\n`
}

/** The inverse of what a row's `names` is made of. */
export function namesOf(lines: string): string[] {
  return lines.slice(1, -1).split('\n')
}

export interface AuditFilter {
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
  /** Of a variable. */
  readonly name?: string | undefined
  /** From this time on. */
  readonly fromMs?: number | undefined
  /** Before this time. */
  readonly toMs?: number | undefined
  /** Before this number. */
  readonly before?: number | undefined
}

export interface AuditRow {
  readonly seq: number
  readonly at_ms: number
  readonly actor: string
  readonly how: Actor['how']
  readonly client: string
  readonly action: AuditAction
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly names: string | null
  readonly name_count: number | null
  readonly revision: number | null
  readonly subject: string | null
  readonly request_id: string | null
}

/** The newest that the filter lets through, the newest first. */
export function auditOf(sql: Reader, orgId: string, filter: AuditFilter, most: number): Promise<AuditRow[]> {
  return sql.all(
    `select seq, at_ms, actor, how, client, action, project_slug, stage_slug, names, name_count, revision, subject, request_id
     from audit
     where org_id = $1 and seq < $2 and at_ms >= $3 and at_ms < $4
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
    filter.name === undefined ? null : linesOf([filter.name]),
    most,
  )
}
