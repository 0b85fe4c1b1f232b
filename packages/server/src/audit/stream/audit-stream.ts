/**
 * Delivers the audit logs to the receiver of the installation, on every node. How far each log was delivered is stored after the receiver
 * has accepted it, so that a killed node sends again what may have arrived, and never leaves something out. A lease keeps nodes from
 * sending the same, and keeps the order of each log. Nothing waits for the receiver, unless the operator requires it.
 */
import { ApiError } from '../../base/api-error.ts'
import { backoffMs } from '../../base/backoff.ts'
import type { Timer } from '../../base/clock.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import { checkpointsBetween, entriesBetween, type ChainedRow } from '../../storage/audit-chain.ts'
import * as store from '../../storage/audit-stream.ts'
import { waitsSinceMs, type LeasedStreamRow } from '../../storage/audit-stream.ts'
import type { Reader, Sql } from '../../storage/sql.ts'
import type { Checkpoint } from '../checkpoint.ts'
import { checkpointMessage, entryMessage } from './formats.ts'
import type { StreamMessage, StreamReceiver } from './receiver.ts'
import type { StreamFormat } from './stream-url.ts'

const intervalMs = 1_000
const timeoutMs = 10_000
/** How long a node leases a log for one batch: several times what sending it takes at most. */
const leaseMs = 60_000
/** Maximum entries, and about the maximum characters, that are sent together. */
const maxEntries = 500
const maxCharacters = 1_000_000
/** Maximum logs that a node delivers at once. */
const maxSending = 8
const backoff = { firstMs: 1_000, maxMs: 60_000 }

export interface AuditStreamParts {
  readonly sql: Sql
  readonly receiver: StreamReceiver
  readonly format: StreamFormat
  readonly version: string
  readonly clock: Timer
  readonly log: Log
  /** Returns a random number from 0 to 1, which varies how long a failed batch waits. */
  readonly random: () => number
  /** Maximum entries that are sent together. @default 500 */
  readonly maxEntries?: number
}

/** Values for /metrics: entries and checkpoints that were delivered, and batches that failed, since the start. */
export interface AuditStreamMetrics extends Record<'delivered' | 'failed', number> {}

/** What is sent together, and how far the log is delivered then. */
interface Batch {
  readonly messages: readonly StreamMessage[]
  readonly position: number
  readonly checkpoint: number
  readonly isLast: boolean
}

export class AuditStream {
  readonly #parts: AuditStreamParts
  readonly #abort = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  #endInterval = (): void => {}
  #round: Promise<void> | undefined
  #isFailing = false
  /** Since when entries wait, by the organization's id; undefined if nothing depends on it. */
  #waitsSinceMs: ReadonlyMap<string, number> | undefined
  readonly metrics: AuditStreamMetrics = { delivered: 0, failed: 0 }

  constructor(parts: AuditStreamParts) {
    this.#parts = parts
  }

  start(): void {
    this.#endInterval = this.#parts.clock.every(intervalMs, () => {
      this.#round ??= this.#runRound().finally(() => (this.#round = undefined))
    })
  }

  /** Stops. What is being sent is aborted, and sent again. */
  async close(): Promise<void> {
    this.#endInterval()
    await this.#round
    this.#abort.abort()
    await Promise.all(this.#sending)
  }

  /** Returns a function that throws AUDIT_NOT_DELIVERED if an entry of the organization has waited for longer than `maxMs`. */
  gate(maxMs: number): (orgId: string) => void {
    this.#waitsSinceMs = new Map()
    return (orgId) => {
      const sinceMs = this.#waitsSinceMs?.get(orgId)
      if (sinceMs !== undefined && this.#parts.clock.now() - sinceMs > maxMs) throw new ApiError('AUDIT_NOT_DELIVERED')
    }
  }

  async #runRound(): Promise<void> {
    try {
      await this.#lease()
      if (this.#waitsSinceMs) {
        const rows = await store.undelivered(this.#parts.sql)
        this.#waitsSinceMs = new Map(rows.map((row) => [row.org_id, waitsSinceMs(row)]))
      }
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#parts.log.warn('the audit stream could not be read', { reason: reasonOf(error) })
      this.#isFailing = true
    }
  }

  /** Begins to deliver the logs that are behind, and does not wait for them. */
  async #lease(): Promise<void> {
    const { sql, clock } = this.#parts
    const nowMs = clock.now()
    const limit = maxSending - this.#sending.size
    // Nearly always there is none, and a read keeps no one from writing.
    if (limit <= 0 || !(await store.areStreamsBehind(sql, nowMs))) return
    const lease = { nowMs, untilMs: nowMs + leaseMs, limit }
    for (const row of await sql.tx((tx) => store.leaseStreams(tx, lease), 'process')) this.#begin(row)
  }

  #begin(row: LeasedStreamRow): void {
    const sending = this.#deliver(row)
      .catch((error: unknown) => {
        const reason = reasonOf(error)
        this.#parts.log.warn('an audit log could not be read for the audit stream', { orgId: row.org_id, reason })
      })
      .finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  /** Sends what the receiver has not accepted, in order, until there is no more, a batch fails or another node has taken over. */
  async #deliver(row: LeasedStreamRow): Promise<void> {
    const { sql, receiver, clock } = this.#parts
    for (let lease = row; ;) {
      const batch = await this.#nextBatch(lease)
      const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(timeoutMs)])
      const failure = batch.messages.length === 0 ? undefined : await receiver.send(batch.messages, signal)
      if (failure !== undefined) return this.#fail(lease, signal.aborted ? 'no answer in time' : failure)
      const { position, checkpoint, isLast } = batch
      const untilMs = isLast ? clock.now() : clock.now() + leaseMs
      const settled = { position, checkpoint, untilMs }
      const isOurs = await sql.tx((tx) => store.settleStream(tx, lease, settled), 'process')
      this.metrics.delivered += batch.messages.length
      if (!isOurs || isLast || this.#abort.signal.aborted) return
      lease = { ...lease, position, checkpoint, next_attempt_at_ms: untilMs, attempts: 0 }
    }
  }

  async #nextBatch({ org_id: orgId, organization, position, checkpoint }: LeasedStreamRow): Promise<Batch> {
    const { sql, format, version, maxEntries: limit = maxEntries } = this.#parts
    const context = { orgId, organization, format, version }
    const { before, entries, isLast } = await pageAfter(sql, orgId, position, limit)
    const upTo = entries.at(-1)?.seq ?? position
    const checkpoints = await checkpointsBetween(sql, orgId, checkpoint, upTo)
    const messages: StreamMessage[] = []
    let [characters, next, chain, signed] = [0, position, before, checkpoint]
    const signs = (): void => {
      for (; checkpoints[0] && checkpoints[0].seq <= next; checkpoints.shift()) {
        const { seq, chained_from: chainedFrom, at_ms: atMs, chain: link, signature } = checkpoints[0]
        messages.push(
          checkpointMessage(context, { orgId, seq, chainedFrom, atMs, chain: link, signature } satisfies Checkpoint),
        )
        signed = seq
      }
    }
    signs()
    for (const entry of entries) {
      if (characters > maxCharacters) return { messages, position: next, checkpoint: signed, isLast: false }
      const message = entryMessage(context, entry, chain)
      messages.push(message)
      characters += message.text.length
      next = entry.seq
      chain = entry.chain ?? ''
      signs()
    }
    return { messages, position: next, checkpoint: signed, isLast }
  }

  async #fail(lease: LeasedStreamRow, failure: string): Promise<void> {
    const { sql, clock, log, random } = this.#parts
    const nowMs = clock.now()
    // What was aborted by the stop says nothing about the receiver.
    if (this.#abort.signal.aborted) {
      const { position, checkpoint } = lease
      await sql.tx((tx) => store.settleStream(tx, lease, { position, checkpoint, untilMs: nowMs }), 'process')
      return
    }
    const nextAttemptAtMs = nowMs + backoffMs(lease.attempts, random(), backoff)
    const failed = { nowMs, nextAttemptAtMs, failure }
    await sql.tx((tx) => store.recordStreamFailure(tx, lease, failed), 'process')
    this.metrics.failed++
    if (lease.attempts === 0)
      log.warn('the audit stream did not accept entries, which will be sent again', {
        orgId: lease.org_id,
        reason: failure,
      })
  }
}

/** Returns the next entries of a log, and the link of the entry before them. */
async function pageAfter(
  sql: Reader,
  orgId: string,
  position: number,
  limit: number,
): Promise<{ before: string; entries: readonly ChainedRow[]; isLast: boolean }> {
  const rows = await entriesBetween(sql, orgId, position - 1, Number.MAX_SAFE_INTEGER, limit + 1)
  const [first] = rows
  const isBefore = first?.seq === position
  const entries = isBefore ? rows.slice(1) : rows.slice(0, limit)
  return { before: (isBefore ? first.chain : undefined) ?? '', entries, isLast: entries.length < limit }
}
