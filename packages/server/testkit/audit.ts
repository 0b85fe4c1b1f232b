import type { AuditEntry } from '@rollkey/contract'
import type { TestClient } from './client.ts'

/** Returns the audit log entries that match the filter, the oldest first. `token` belongs to an owner or admin. */
export async function auditEntries(
  client: TestClient,
  orgSlug: string,
  token: string,
  filter: object = {},
): Promise<AuditEntry[]> {
  const { entries } = await client.must('audit', { orgSlug, limit: 500, ...filter }, { token })
  return (entries as AuditEntry[]).toReversed()
}
