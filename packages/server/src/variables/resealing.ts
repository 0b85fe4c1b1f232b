/** Reseals what retired data keys sealed with the current key, in small transactions between which clients are served. */
import { setImmediate as turn } from 'node:timers/promises'
import { retryWhileUnavailable } from '../concurrency/retry-while-unavailable.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { SealContext, Sealer } from '../crypto/seal.ts'
import type { RetiredKeyRow } from '../storage/keys.ts'
import { lockStage } from '../storage/projects.ts'
import {
  changeValuesUnderKey,
  historyUnderKey,
  resealChangeValue,
  resealHistory,
  resealVariable,
  variablesUnderKey,
  type StateId,
  type SealedRow,
} from '../storage/sealed.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { resealProposed } from './proposed.ts'
import { reseal } from './values.ts'

/** Rows per transaction. A write to the stage waits for one transaction, some milliseconds. */
const batchSize = 100

/** Returns a proposed state sealed with the current key, or undefined if it does not open. Throws CannotSeal. */
function resealChange(sealer: Sealer, { changeId = '', name, kind, sealed }: SealedRow): Uint8Array | undefined {
  return resealProposed(sealer, { changeId, name, kind }, sealed)
}

/** The present states, the past ones and the proposed ones. */
const tables = [
  { next: variablesUnderKey, seal: reseal, reseal: resealVariable },
  { next: historyUnderKey, seal: reseal, reseal: resealHistory },
  { next: changeValuesUnderKey, seal: resealChange, reseal: resealChangeValue },
] as const

type Table = (typeof tables)[number]

const beforeFirst: StateId = { name: '', revision: 0 }

export interface ResealResult {
  readonly resealed: number
  /** States that do not open. They stay as they are. */
  readonly unopened: number
}

interface Chunk extends ResealResult {
  /** The last row of the chunk; undefined if no more rows follow. */
  readonly last: StateId | undefined
}

interface ChunkRequest {
  readonly context: SealContext
  readonly keyId: string
  readonly table: Table
  readonly after: StateId
}

export class Resealing {
  readonly #sql: Sql
  readonly #keyring: Keyring

  constructor(parts: { sql: Sql; keyring: Keyring }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
  }

  /** Reseals everything of a stage that the key sealed, chunk by chunk. */
  async *stage({ id: keyId, orgId, projectId }: RetiredKeyRow, stageId: string): AsyncGenerator<ResealResult> {
    const context = { orgId, projectId, stageId }
    for (const table of tables) {
      for (let after: StateId | undefined = beforeFirst; after;) {
        const request: ChunkRequest = { context, keyId, table, after }
        const chunk = await retryWhileUnavailable(() => this.#next(request))
        yield chunk
        after = chunk.last
        // The embedded store is synchronous: without this pause the server would answer no one else until the end.
        await turn()
      }
    }
  }

  async #next(request: ChunkRequest): Promise<Chunk> {
    for (;;) {
      const sealer = await this.#keyring.sealerOf(request.context, [request.keyId])
      const chunk = await this.#sql.tx((tx) => this.#chunk(tx, sealer, request), 'process')
      if (chunk) return chunk
    }
  }

  /** Reseals one chunk. Returns undefined if the project has another key by now. Throws CannotSeal. */
  async #chunk(tx: Tx, sealer: Sealer, { context, keyId, table, after }: ChunkRequest): Promise<Chunk | undefined> {
    const { projectId, stageId } = context
    // Waits for a write that holds the stage and seals with the retired key. `Keyring.maySeal` refuses later ones.
    await lockStage(tx, stageId)
    if (sealer.keyId !== undefined && !(await this.#keyring.maySeal(tx, projectId, sealer.keyId))) return undefined
    const rows = await table.next(tx, { stageId, keyId, after, limit: batchSize })
    const ofKey = rows.filter((row): row is SealedRow => row.sealed !== null && row.kind !== null)
    const opened = ofKey.flatMap((row): SealedRow[] => {
      const sealed = table.seal(sealer, row)
      return sealed ? [{ ...row, sealed }] : []
    })
    await Promise.all(opened.map((row) => table.reseal(tx, stageId, keyId, row)))
    const last = rows.length < batchSize ? undefined : rows.at(-1)
    return { last, resealed: opened.length, unopened: ofKey.length - opened.length }
  }
}
