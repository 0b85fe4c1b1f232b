/** Signs what the audit logs have come to. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { headsToSign, insertCheckpoint } from '../storage/audit-chain.ts'
import type { Sql } from '../storage/sql.ts'
import { checkpointText, signCheckpoint } from './checkpoint.ts'

export class Checkpoints {
  readonly #sql: Sql
  readonly #keyring: Keyring
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: { sql: Sql; keyring: Keyring; clock: Clock; log: Log }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /**
   * One of each log that has grown since its last one. Each is logged too: only a copy that has left the machine shows that
   * the end of a log was cut off together with its checkpoints.
   */
  async make(): Promise<void> {
    for (const { org_id: orgId, seq, chained_from: chainedFrom, chain } of await headsToSign(this.#sql)) {
      const atMs = this.#clock.now()
      const made = signCheckpoint({ orgId, seq, chainedFrom, atMs, chain }, this.#keyring)
      const { signature } = made
      const row = { org_id: orgId, seq, chained_from: chainedFrom, at_ms: atMs, chain, signature }
      const isFirst = await this.#sql.tx((tx) => insertCheckpoint(tx, row), 'process')
      if (isFirst) this.#log.info('audit checkpoint', { orgId, checkpoint: checkpointText(made) })
    }
  }
}
