/** Work that is done now and then: nothing else waits for it, and a failure is tried again at the next time. */
import { limits } from '@rollkey/contract'
import type { Checkpoints } from '../audit/checkpoints.ts'
import { sweepAudit, type AuditRetention } from '../audit/retention.ts'
import { dayOf, type Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import { forgetTriesAfterMs } from '../identity/password-tries.ts'
import { deleteReportsBefore } from '../storage/billing.ts'
import { deleteDeviceCodesBefore, deleteWrongUserCodesBefore } from '../storage/device-codes.ts'
import { deleteHistoryBefore } from '../storage/history.ts'
import { retiredKeys } from '../storage/keys.ts'
import { deletePasswordTriesBefore } from '../storage/password-tries.ts'
import { deleteRollCountsBefore } from '../storage/roll-counts.ts'
import { deleteUnusedKey } from '../storage/sealed.ts'
import { deleteTokensBefore } from '../storage/sessions.ts'
import type { Sql } from '../storage/sql.ts'
import { deleteCallerUsageBefore, deleteExpiredRequestKeys } from '../storage/usage.ts'

const day = 24 * 60 * 60_000
const flushEveryMs = 5_000
const sweepEveryMs = 60_000
const checkpointEveryMs = 60_000
/** So long an expired code can be told from one that never was. */
const keepDeviceCodesMs = 60 * 60_000
/** So long after its expiry a used refresh token is still recognized as stolen. */
const keepTokensMs = limits.refreshTokenLifetimeMs
/** So long it can be seen which usage reports were delivered. */
const keepReportsMs = 90 * day
/** So long it can be seen how often the values of a roll were served. */
const keepRollCountsMs = 90 * day

/** So long it can be seen who evaluated. */
const keepCallersMs = 400 * day

/** So long a retired data key stays, at least: whoever has begun to write when it was retired has long ended. */
const keepRetiredKeysMs = 10 * 60_000

/** Deletes the retired data keys that have sealed nothing that is still there. */
async function sweepDataKeys(sql: Sql, nowMs: number): Promise<void> {
  for (const { id, retiredAtMs } of await retiredKeys(sql)) {
    if (retiredAtMs < nowMs - keepRetiredKeysMs) await sql.tx((tx) => deleteUnusedKey(tx, id), 'process')
  }
}

/** Deletes what no promise needs any more. */
export async function sweep(sql: Sql, nowMs: number, historyDays: number): Promise<void> {
  await sql.tx((tx) => deleteExpiredRequestKeys(tx, nowMs), 'process')
  await sql.tx((tx) => deleteDeviceCodesBefore(tx, nowMs - keepDeviceCodesMs), 'process')
  await sql.tx((tx) => deleteWrongUserCodesBefore(tx, nowMs - limits.wrongUserCodesWindowMs), 'process')
  await sql.tx((tx) => deletePasswordTriesBefore(tx, nowMs - forgetTriesAfterMs), 'process')
  await sql.tx((tx) => deleteTokensBefore(tx, nowMs - keepTokensMs), 'process')
  await sql.tx((tx) => deleteReportsBefore(tx, nowMs - keepReportsMs), 'process')
  await sql.tx((tx) => deleteRollCountsBefore(tx, nowMs - keepRollCountsMs), 'process')
  await sql.tx((tx) => deleteCallerUsageBefore(tx, dayOf(nowMs - keepCallersMs)), 'process')
  await sql.tx((tx) => deleteHistoryBefore(tx, nowMs - historyDays * day), 'process')
  await sweepDataKeys(sql, nowMs)
}

/** Counts and times that are kept in memory and brought to the store now and then. */
interface Task {
  /** `isLast`: the service stops. */
  flush(isLast?: boolean): Promise<void>
}

export class Housekeeping {
  readonly #noted: readonly Task[]
  readonly #checkpoints: Checkpoints
  readonly #log: Log
  readonly #timers: NodeJS.Timeout[]

  constructor(parts: {
    sql: Sql
    noted: readonly Task[]
    checkpoints: Checkpoints
    identity: EmbeddedProvider | undefined
    clock: Clock
    log: Log
    historyDays: number
    auditRetention: AuditRetention
  }) {
    const { sql, noted, checkpoints, identity, clock, log, historyDays, auditRetention } = parts
    this.#noted = identity ? [...noted, identity] : noted
    this.#checkpoints = checkpoints
    this.#log = log
    const every = (ms: number, work: () => Promise<void>): NodeJS.Timeout =>
      setInterval(() => {
        work().catch((error: unknown) => log.warn('housekeeping failed', { reason: reasonOf(error) }))
      }, ms).unref()
    this.#timers = [
      every(flushEveryMs, () => this.flush()),
      every(sweepEveryMs, () => sweep(sql, clock.now(), historyDays)),
      every(sweepEveryMs, () => sweepAudit(sql, clock.now(), auditRetention)),
      every(checkpointEveryMs, () => checkpoints.make()),
      ...(identity ? [every(sweepEveryMs, () => identity.sweep())] : []),
    ]
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  /** Never throws: what could not be stored is noted still. */
  async flush(isLast = false): Promise<void> {
    for (const noted of this.#noted) {
      await noted.flush(isLast).catch((error: unknown) => {
        this.#log.warn('the latest uses of sessions, counts of rolls, refusals or failed sign-ins are not stored', {
          reason: reasonOf(error),
        })
      })
    }
  }

  /** For the last time. Never throws. */
  async finish(): Promise<void> {
    await this.flush(true)
    await this.#checkpoints.finish().catch((error: unknown) => {
      this.#log.warn('the latest entries of the audit logs have no checkpoint yet', { reason: reasonOf(error) })
    })
  }
}
