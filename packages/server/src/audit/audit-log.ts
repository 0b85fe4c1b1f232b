/** The audit log: who did what in an organization. The transaction of a change also writes the entry about it. */
import type { AuditEntry } from '@rollkey/contract'
import { factsOfText, splitNames } from '../storage/audit-content.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { auditOf, lastEntry, type AuditFilter, type AuditRow } from '../storage/audit.ts'
import type { Reader } from '../storage/sql.ts'

/** Entries that a statement looks at. Few may match the filter. */
const entriesPerStatement = 2_000

export class AuditLog {
  readonly #sql: Reader

  constructor(sql: Reader) {
    this.#sql = sql
  }

  /** Returns the newest `limit` entries that match the filter, newest first. */
  async list(orgId: string, { limit, ...filter }: AuditFilter & { readonly limit: number }): Promise<AuditEntry[]> {
    const entries: AuditEntry[] = []
    const slices = new TimeSlices()
    let before = Math.min(filter.before ?? Infinity, (await lastEntry(this.#sql, orgId)) + 1)
    while (before > 1 && entries.length < limit) {
      const after = before - entriesPerStatement - 1
      const rows = await auditOf(this.#sql, orgId, { ...filter, before, after }, limit - entries.length)
      entries.push(...rows.map(entryOf))
      before = after + 1
      if (slices.isOver) await slices.next()
    }
    return entries
  }
}

/** Returns the entry in the format of the API. */
export function entryOf(row: AuditRow): AuditEntry {
  return {
    seq: row.seq,
    atMs: row.at_ms,
    action: row.action,
    ...(row.how !== '' && { actor: row.actor, how: row.how === 'rules' ? 'system' : row.how, client: row.client }),
    ...(row.project_slug !== null && { projectSlug: row.project_slug }),
    ...(row.stage_slug !== null && { stageSlug: row.stage_slug }),
    ...(row.names !== null && { names: splitNames(row.names) }),
    ...(row.name_count !== null && { nameCount: row.name_count }),
    ...(row.revision !== null && { revision: row.revision }),
    ...(row.subject !== null && subjectOf(row.subject)),
    ...(row.request_id !== null && { requestId: row.request_id }),
  }
}

function subjectOf(text: string): Pick<AuditEntry, 'facts' | 'subject'> {
  const facts = factsOfText(text)
  return facts ? { facts } : { subject: text }
}
