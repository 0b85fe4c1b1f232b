/** How long the details of entries are kept. What remains of an entry is enough for the chain (docs/decisions/0020). */
import { setImmediate } from 'node:timers/promises'
import { auditAction, type AuditAction } from '@rollkey/contract'
import { deleteContentBefore, thinSomeCheckpoints, type CheckpointPosition } from '../storage/audit-chain.ts'
import type { Sql } from '../storage/sql.ts'

/** Retention periods of details, in days. */
export interface AuditRetention {
  readonly defaultDays: number
  /** The period of actions that happen automatically and often. */
  readonly frequentDays: number
}

const frequentActions: readonly AuditAction[] = ['session.refresh', 'trust.exchange', 'refusal', 'sign-in.failed']

const dayMs = 24 * 60 * 60_000
/** Entries per transaction: a few milliseconds of the embedded store, which does nothing else during that time. */
const batchSize = 200
/** How long one checkpoint per minute is kept. Of each older day, only the last checkpoint is kept. */
const keepAllCheckpointsMs = dayMs

/** Returns the time before which entries have no details. */
export function detailsKeptSince(action: string, { defaultDays, frequentDays }: AuditRetention, nowMs: number): number {
  const isFrequent = (frequentActions as readonly string[]).includes(action)
  return nowMs - (isFrequent ? frequentDays : defaultDays) * dayMs
}

/** Deletes details and checkpoints whose retention period is over. */
export async function sweepAudit(sql: Sql, nowMs: number, retention: AuditRetention): Promise<void> {
  for (const action of auditAction.options) {
    const before = detailsKeptSince(action, retention, nowMs)
    let deleted = batchSize
    while (deleted === batchSize) {
      deleted = await sql.tx((tx) => deleteContentBefore(tx, action, before, batchSize), 'process')
      await setImmediate()
    }
  }
  const to = nowMs - keepAllCheckpointsMs
  let last: CheckpointPosition | undefined = { at_ms: to - 2 * dayMs, org_id: '', seq: 0 }
  while (last) {
    const after: CheckpointPosition = last
    last = await sql.tx((tx) => thinSomeCheckpoints(tx, to, after), 'process')
    await setImmediate()
  }
}
