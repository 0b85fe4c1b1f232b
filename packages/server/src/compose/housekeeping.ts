/** Periodic work. Nothing else waits for it, and it is retried at the next interval after a failure. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '@rollkey/contract'
import type { Checkpoints } from '../audit/checkpoints.ts'
import { sweepAudit, type AuditRetention } from '../audit/retention.ts'
import { dayOf, type Timer } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import { forgetTriesAfterMs } from '../identity/password-tries.ts'
import { announceVariables, type VariableNoticeParts } from '../notifications/variable-notices.ts'
import { announceExpiringTokens } from '../sessions/expiring-tokens.ts'
import { foldIntervalMs, type NodeRows } from '../metering/node-rows.ts'
import { emptyStage } from '../stages/empty-stage.ts'
import { deleteReportsBefore } from '../storage/billing.ts'
import { deleteChangesSettledBefore } from '../storage/changes.ts'
import { deletedStages } from '../storage/deletion.ts'
import { deleteDeviceCodesBefore, deleteWrongUserCodesBefore } from '../storage/device-codes.ts'
import { deleteSomeHistory, type HistoryPosition } from '../storage/history.ts'
import { deleteLastEvaluationsBefore } from '../storage/last-evaluations.ts'
import { retiredKeys } from '../storage/keys.ts'
import { everyOrganization } from '../storage/organizations.ts'
import { deleteMailsBefore } from '../storage/mails.ts'
import { deletePasswordTriesBefore } from '../storage/password-tries.ts'
import { deleteRollCountsBefore } from '../storage/roll-counts.ts'
import { deleteUnusedKey } from '../storage/sealed.ts'
import { deleteEndedSessions, deleteTokensBefore, type SessionPosition } from '../storage/sessions.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { deleteCallerUsageBefore, deleteExpiredRequestKeys, deleteUsageDaysBefore } from '../storage/usage.ts'

const dayMs = 24 * 60 * 60_000
const flushIntervalMs = 5_000
const sweepIntervalMs = 60_000
const checkpointIntervalMs = 60_000
/** How long an expired code is distinguished from one that never existed. */
const keepDeviceCodesMs = 60 * 60_000
/** How long after its expiry a used refresh token is still recognized as stolen. */
const keepTokensMs = limits.refreshTokenLifetimeMs
/** How long delivered usage reports are kept. */
const keepReportsMs = 90 * dayMs
/** How long is remembered what was mailed. */
const keepMailsMs = 8 * dayMs
/** How long the counts of served roll values are kept. */
const keepRollCountsMs = 90 * dayMs

/** How long the usage by caller is kept. */
const keepCallersMs = 400 * dayMs
/** How long the last day of evaluation of a variable is kept. */
const keepLastEvaluationsMs = 400 * dayMs

/** How long a retired data key is kept at least. All writes that began before its retirement have ended by then. */
const keepRetiredKeysMs = 10 * 60_000

/** Deletes the retired data keys that sealed no stored value. */
async function sweepDataKeys(sql: Sql, nowMs: number): Promise<void> {
  for (const { id, retiredAtMs } of await retiredKeys(sql)) {
    if (retiredAtMs < nowMs - keepRetiredKeysMs) await sql.tx((tx) => deleteUnusedKey(tx, id), 'process')
    await nextTurn()
  }
}

/** Runs transactions until one reports that nothing is left, and serves other requests in between. */
async function repeat(sql: Sql, some: (tx: Tx) => Promise<boolean>): Promise<void> {
  while (await sql.tx(some, 'process')) await nextTurn()
  await nextTurn()
}

async function sweepSessions(sql: Sql, beforeMs: number): Promise<void> {
  await repeat(sql, (tx) => deleteTokensBefore(tx, beforeMs))
  let last: SessionPosition | undefined
  await repeat(sql, async (tx) => {
    last = await deleteEndedSessions(tx, beforeMs, last)
    return last !== undefined
  })
}

/**
 * Deletes the history from before a time that nothing needs. `sinceMs`: the time of which the last sweep has done so. What is not needed
 * since then was replaced after it, so earlier rows are not read.
 */
async function sweepHistory(sql: Sql, beforeMs: number, sinceMs = 0): Promise<void> {
  let last: HistoryPosition = { written_at_ms: sinceMs, stage_id: '', name: '', revision: 0 }
  await repeat(sql, async (tx) => {
    const next = await deleteSomeHistory(tx, beforeMs, last)
    last = next ?? last
    return next !== undefined
  })
}

/** Deletes what is left of deleted stages. */
async function sweepStages(sql: Sql): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await deletedStages(sql, after)
    for (const { id, has_rows: hasRows } of page) if (hasRows) await emptyStage(sql, id)
    after = page.at(-1)?.id
    await nextTurn()
  }
}

/** Deletes data that has passed its retention time. `lastMs`: when this was last done, if it was. */
export async function sweep(sql: Sql, nowMs: number, historyDays: number, lastMs?: number): Promise<void> {
  await repeat(sql, (tx) => deleteExpiredRequestKeys(tx, nowMs))
  await repeat(sql, (tx) => deleteDeviceCodesBefore(tx, nowMs - keepDeviceCodesMs))
  await repeat(sql, (tx) => deleteWrongUserCodesBefore(tx, nowMs - limits.wrongUserCodesWindowMs))
  await repeat(sql, (tx) => deletePasswordTriesBefore(tx, nowMs - forgetTriesAfterMs))
  await sweepSessions(sql, nowMs - keepTokensMs)
  await repeat(sql, (tx) => deleteReportsBefore(tx, nowMs - keepReportsMs))
  await repeat(sql, (tx) => deleteMailsBefore(tx, nowMs - keepMailsMs))
  await repeat(sql, (tx) => deleteRollCountsBefore(tx, nowMs - keepRollCountsMs))
  await repeat(sql, (tx) => deleteCallerUsageBefore(tx, dayOf(nowMs - keepCallersMs)))
  await repeat(sql, (tx) => deleteLastEvaluationsBefore(tx, dayOf(nowMs - keepLastEvaluationsMs)))
  const historyMs = historyDays * dayMs
  await sweepHistory(sql, nowMs - historyMs, lastMs === undefined ? undefined : lastMs - historyMs)
  await sweepStages(sql)
  await sweepDataKeys(sql, nowMs)
}

/** How long the usage by day and stage, and settled changes, are kept, in days. */
export interface Retention {
  readonly usageDays: number
  readonly changeDays: number
}

/** Deletes what each organization keeps for a number of days. Once a day is enough. */
export async function sweepOrganizations(sql: Sql, nowMs: number, { usageDays, changeDays }: Retention): Promise<void> {
  for (const { id } of await everyOrganization(sql)) {
    await repeat(sql, (tx) => deleteUsageDaysBefore(tx, id, dayOf(nowMs - usageDays * dayMs)))
    await repeat(sql, (tx) => deleteChangesSettledBefore(tx, id, nowMs - changeDays * dayMs))
  }
}

/** Counts and times that are kept in memory and periodically written to the store. */
interface Buffer {
  /** Writes them to the store. `isLast` means that the service is stopping. */
  flush(isLast?: boolean): Promise<void>
}

export class Housekeeping {
  readonly #buffering: readonly Buffer[]
  readonly #checkpoints: Checkpoints
  readonly #nodeRows: NodeRows | undefined
  readonly #log: Log
  readonly #stops: readonly (() => void)[]
  #sweptMs: number | undefined
  #announcedDay: string | undefined

  constructor(parts: {
    sql: Sql
    buffering: readonly Buffer[]
    checkpoints: Checkpoints
    identity: EmbeddedProvider | undefined
    nodeRows: NodeRows | undefined
    clock: Timer
    log: Log
    historyDays: number
    retention: Retention
    auditRetention: AuditRetention
    noticesOf: Pick<VariableNoticeParts, 'overdueOf' | 'misfitsOf'>
  }) {
    const { sql, buffering, checkpoints, identity, nodeRows, clock, log, historyDays, retention } = parts
    const { auditRetention, noticesOf } = parts
    this.#buffering = identity ? [...buffering, identity] : buffering
    this.#checkpoints = checkpoints
    this.#nodeRows = nodeRows
    this.#log = log
    const every = (ms: number, work: () => Promise<void>) =>
      clock.every(ms, () => {
        work().catch((error: unknown) => log.warn('housekeeping failed', { reason: reasonOf(error) }))
      })
    this.#stops = [
      every(flushIntervalMs, () => this.flush()),
      every(sweepIntervalMs, async () => {
        const nowMs = clock.now()
        await sweep(sql, nowMs, historyDays, this.#sweptMs)
        if (this.#sweptMs === undefined || dayOf(this.#sweptMs) !== dayOf(nowMs)) {
          await sweepOrganizations(sql, nowMs, retention)
        }
        this.#sweptMs = nowMs
      }),
      every(sweepIntervalMs, () => sweepAudit(sql, clock.now(), auditRetention)),
      every(checkpointIntervalMs, () => checkpoints.signAll()),
      every(sweepIntervalMs, () => announceExpiringTokens(sql, clock)),
      ...(nodeRows ? [every(foldIntervalMs, () => nodeRows.maintain())] : []),
      // Each look at a roll that fits may find that it does not, so that there is one look a day.
      every(sweepIntervalMs, async () => {
        const day = dayOf(clock.now())
        if (this.#announcedDay === day) return
        await announceVariables({ sql, clock, ...noticesOf })
        this.#announcedDay = day
      }),
      ...(identity ? [every(sweepIntervalMs, () => identity.sweep())] : []),
    ]
  }

  stop(): void {
    for (const end of this.#stops) end()
  }

  /** Stores what is in memory. Never throws: it keeps in memory what could not be stored. */
  async flush(isLast = false): Promise<void> {
    for (const buffering of this.#buffering) {
      await buffering.flush(isLast).catch((error: unknown) => {
        this.#log.warn(
          'recent session uses, roll counts, days of evaluations, refusals or failed sign-ins could not be stored',
          {
            reason: reasonOf(error),
          },
        )
      })
    }
  }

  /** Stores everything before the service stops. Never throws. */
  async finish(): Promise<void> {
    await this.flush(true)
    await this.#checkpoints.finish().catch((error: unknown) => {
      this.#log.warn('the final audit log checkpoints could not be made', { reason: reasonOf(error) })
    })
    await this.#nodeRows?.close().catch((error: unknown) => {
      this.#log.warn('the usage of this node could not be folded, which another node will do', {
        reason: reasonOf(error),
      })
    })
  }
}
