import { auditFacts, type AuditEntry } from '@rollkey/contract'
import type { TestClient } from './client.ts'

/** Returns the audit log entries that match the filter, the oldest first. `token` belongs to an owner or admin. */
export async function auditEntries(
  client: TestClient,
  orgSlug: string,
  token: string,
  filter: object = {},
): Promise<AuditEntry[]> {
  const { entries } = await client.must('audit', { orgSlug, limit: 500, ...filter }, { token })
  for (const entry of entries as AuditEntry[]) assertFacts(entry)
  return (entries as AuditEntry[]).toReversed()
}

/** Asserts that an entry says what the contract says about its action, and nothing else. */
function assertFacts({ action, actor, facts = {}, subject }: AuditEntry): void {
  if (actor !== undefined && subject === undefined) auditFacts[action].strict().parse(facts)
}
