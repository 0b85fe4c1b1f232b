import type { AuditEntry } from '@rollkey/contract'
import type { TestTenant } from '../../testkit/test-env.ts'
import type { TrustScene } from './scene.ts'

/** Returns the entries of the audit log of an organization after its first write, the newest first. */
export async function auditOf(scene: TrustScene, owner: TestTenant): Promise<AuditEntry[]> {
  const { entries } = await scene.must('audit', {}, owner)
  const all = entries as AuditEntry[]
  return all.slice(
    0,
    all.findIndex(({ action, names }) => action === 'variable.create' && names?.includes('A')),
  )
}
