import type { AuditEntry } from '@rollkey/contract'
import type { TestClient } from './client.ts'

/** Entries of the audit log that the filter lets through, the oldest first. `token`: of an owner or admin. */
export async function auditEntries(
  client: TestClient,
  orgSlug: string,
  token: string,
  filter: object = {},
): Promise<AuditEntry[]> {
  const { entries } = await client.must('audit', { orgSlug, limit: 500, ...filter }, { token })
  return (entries as AuditEntry[]).toReversed()
}
