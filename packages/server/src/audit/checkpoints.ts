/** Signs the newest entries of the audit logs. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { headsAfter, insertCheckpoint, type CheckpointRow } from '../storage/audit-chain.ts'
import type { Sql } from '../storage/sql.ts'
import { checkpointText, signCheckpoint } from './checkpoint.ts'

const hourMs = 60 * 60_000

/** The end of a log. */
type Head = Omit<CheckpointRow, 'at_ms' | 'signature'>

export class Checkpoints {
  readonly #sql: Sql
  readonly #keyring: Keyring
  readonly #clock: Clock
  readonly #log: Log
  /** The newest checkpoint of each log that no line at `info` shows yet, by the organization's id. */
  readonly #unannounced = new Map<string, string>()
  /** When a line at `info` last showed a checkpoint, by the organization's id; forgotten after an hour. */
  readonly #announcedAtMs = new Map<string, number>()

  constructor(parts: { sql: Sql; keyring: Keyring; clock: Clock; log: Log }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /**
   * Signs one checkpoint for each log that has grown since its last one. Logs each at `debug`, and at most one per hour and
   * organization at `info`: only a copy outside the machine can show that the end of a log was cut off together with its
   * checkpoints.
   */
  async signAll(): Promise<void> {
    const slices = new TimeSlices()
    for (let after: string | undefined = ''; after !== undefined;) {
      const heads = await headsAfter(this.#sql, after)
      for (const { has_grown: hasGrown, ...head } of heads) {
        if (slices.isOver) await slices.next()
        if (hasGrown) await this.#sign(head)
      }
      after = heads.at(-1)?.org_id
    }
    this.#announce((orgId) => !this.#announcedAtMs.has(orgId))
  }

  async #sign(head: Head): Promise<void> {
    const { org_id: orgId, seq, chained_from: chainedFrom, chain } = head
    const atMs = this.#clock.now()
    const signed = signCheckpoint({ orgId, seq, chainedFrom, atMs, chain }, this.#keyring)
    const row = { ...head, at_ms: atMs, signature: signed.signature }
    const isFirst = await this.#sql.tx((tx) => insertCheckpoint(tx, row), 'process')
    if (!isFirst) return
    const checkpoint = checkpointText(signed)
    this.#unannounced.set(orgId, checkpoint)
    this.#log.debug('new audit checkpoint', { orgId, checkpoint })
  }

  /** Signs the last checkpoints before a stop. Logs at `info` every checkpoint that no such line shows yet. */
  async finish(): Promise<void> {
    await this.signAll()
    this.#announce(() => true)
  }

  #announce(isDue: (orgId: string) => boolean): void {
    const nowMs = this.#clock.now()
    for (const [orgId, atMs] of this.#announcedAtMs) {
      // The absolute difference: a clock that was set back does not silence a log.
      if (Math.abs(nowMs - atMs) >= hourMs) this.#announcedAtMs.delete(orgId)
    }
    for (const [orgId, checkpoint] of this.#unannounced) {
      if (!isDue(orgId)) continue
      this.#unannounced.delete(orgId)
      this.#announcedAtMs.set(orgId, nowMs)
      this.#log.info('audit checkpoint', { orgId, checkpoint })
    }
  }
}
