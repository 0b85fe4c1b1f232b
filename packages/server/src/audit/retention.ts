/** How long the details of entries are kept. What remains of an entry is enough for the chain (docs/decisions/0020). */
import { setImmediate } from 'node:timers/promises'
import { auditAction, type AuditAction } from '@rollkey/contract'
import { deleteContentBefore, thinCheckpointsBetween } from '../storage/audit-chain.ts'
import type { Sql } from '../storage/sql.ts'

/** Retention periods of details, in days. */
export interface AuditRetention {
  readonly usualDays: number
  /** The period of actions that happen automatically and often. */
  readonly frequentDays: number
}

const frequentActions: readonly AuditAction[] = ['session.refresh', 'refusal', 'sign-in.failed']

const day = 24 * 60 * 60_000
/** Entries per transaction: a few milliseconds of the embedded store, which does nothing else during that time. */
const deletedAtOnce = 200
/** How long one checkpoint per minute is kept. Of each older day, only the last checkpoint is kept. */
const keepEveryCheckpointMs = day

/** Returns the time before which entries have no details. */
export function detailsFrom(action: string, { usualDays, frequentDays }: AuditRetention, nowMs: number): number {
  const isFrequent = (frequentActions as readonly string[]).includes(action)
  return nowMs - (isFrequent ? frequentDays : usualDays) * day
}

/** Deletes details and checkpoints whose retention period is over. */
export async function sweepAudit(sql: Sql, nowMs: number, retention: AuditRetention): Promise<void> {
  for (const action of auditAction.options) {
    const before = detailsFrom(action, retention, nowMs)
    let deleted = deletedAtOnce
    while (deleted === deletedAtOnce) {
      deleted = await sql.tx((tx) => deleteContentBefore(tx, action, before, deletedAtOnce), 'process')
      await setImmediate()
    }
  }
  const to = nowMs - keepEveryCheckpointMs
  await sql.tx((tx) => thinCheckpointsBetween(tx, to - 2 * day, to), 'process')
}
