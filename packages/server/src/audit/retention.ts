/** How long the details of entries are kept. What is left of an entry is enough for the chain (decision 20). */
import { setImmediate } from 'node:timers/promises'
import { auditAction, type AuditAction } from '@rollkey/contract'
import { deleteContentBefore, thinCheckpointsBetween } from '../storage/audit-chain.ts'
import type { Sql } from '../storage/sql.ts'

/** In days. */
export interface AuditRetention {
  readonly most: number
  /** Of actions that come by themselves, and often. */
  readonly frequent: number
}

const frequentActions: readonly AuditAction[] = ['session.refresh', 'refusal', 'sign-in.failed']

const day = 24 * 60 * 60_000
/** A few milliseconds of the embedded store, which does nothing else meanwhile. */
const deletedAtOnce = 200
/** So long there is one of each minute; of older days there is the last. */
const keepEveryCheckpointMs = day

/** Entries of before this time have no details. */
export function detailsFrom(action: string, { most, frequent }: AuditRetention, nowMs: number): number {
  const isFrequent = (frequentActions as readonly string[]).includes(action)
  return nowMs - (isFrequent ? frequent : most) * day
}

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
