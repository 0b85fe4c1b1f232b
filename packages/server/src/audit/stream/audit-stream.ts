/**
 * The outbox of the audit stream: the audit logs, for the receiver of the installation. How far each log was delivered is stored after the
 * receiver has accepted it, so that a killed node sends again what may have arrived, and never leaves something out. A lease keeps the order
 * of each log. Nothing waits for the receiver, unless the operator requires it.
 */
import { ApiError } from '../../base/api-error.ts'
import type { Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { accepted, Lease, type LeaseParts } from '../../outbox/lease.ts'
import type { Outbox, Sending } from '../../outbox/outbox-worker.ts'
import { checkpointsBetween, entriesBetween, type ChainedRow } from '../../storage/audit-chain.ts'
import {
  leaseStream,
  streamTable,
  undelivered,
  waitsSinceMs,
  type LeasedStreamRow,
} from '../../storage/audit-stream.ts'
import type { DueRow } from '../../storage/leases.ts'
import type { Tx } from '../../storage/sql.ts'
import type { Checkpoint } from '../checkpoint.ts'
import { checkpointMessage, entryMessage } from './formats.ts'
import type { StreamMessage, StreamReceiver } from './receiver.ts'
import type { StreamFormat } from './stream-url.ts'

/** How long until the gate looks again at what waits. */
const gateIntervalMs = 1_000
const timeoutMs = 10_000
const leaseMs = 60_000
const rules = { table: streamTable, leaseMs, backoff: { firstMs: 1_000, maxMs: 60_000 } }
/** Maximum entries, and about the maximum characters, that are sent together. */
const maxEntries = 500
const maxCharacters = 1_000_000

export interface AuditStreamParts extends LeaseParts {
  readonly receiver: StreamReceiver
  readonly format: StreamFormat
  readonly version: string
  readonly clock: Timer
  readonly log: Log
  /** Maximum entries that are sent together. @default 500 */
  readonly maxEntries?: number
}

/** Values for /metrics: entries and checkpoints that were delivered, and batches that failed, since the start. */
export interface AuditStreamMetrics extends Record<'delivered' | 'failed', number> {}

/** A page of a log. */
interface Page {
  readonly before: string
  readonly entries: readonly ChainedRow[]
  readonly checkpoints: Awaited<ReturnType<typeof checkpointsBetween>>
  readonly isLast: boolean
}

/** What is sent together, and how far the log is delivered then. */
interface Batch {
  readonly messages: readonly StreamMessage[]
  readonly position: number
  readonly checkpoint: number
  readonly isLast: boolean
}

export class AuditStream implements Outbox<LeasedStreamRow> {
  readonly name = 'audit-stream'
  readonly due = streamTable.due
  readonly everyLooks = 2
  readonly places = 8
  readonly leaseMs = leaseMs
  readonly #parts: AuditStreamParts
  #endInterval = (): void => {}
  readonly metrics: AuditStreamMetrics = { delivered: 0, failed: 0 }

  constructor(parts: AuditStreamParts) {
    this.#parts = parts
  }

  /** Ends the gate. */
  close(): void {
    this.#endInterval()
  }

  /** Returns a function that throws AUDIT_NOT_DELIVERED if an entry of the organization has waited for longer than `maxMs`. */
  gate(maxMs: number): (orgId: string) => void {
    const { sql, clock } = this.#parts
    let waiting: ReadonlyMap<string, number> = new Map()
    let reading: Promise<void> | undefined
    const read = async (): Promise<void> => {
      waiting = new Map((await undelivered(sql)).map((row) => [row.org_id, waitsSinceMs(row)]))
    }
    this.#endInterval = clock.every(gateIntervalMs, () => {
      // While the store does not answer, nothing is recorded either.
      reading ??= read()
        .catch(() => undefined)
        .finally(() => (reading = undefined))
    })
    return (orgId) => {
      const sinceMs = waiting.get(orgId)
      if (sinceMs !== undefined && clock.now() - sinceMs > maxMs) throw new ApiError('AUDIT_NOT_DELIVERED')
    }
  }

  lease(tx: Tx, due: DueRow, untilMs: number): Promise<LeasedStreamRow | undefined> {
    return leaseStream(tx, due, { nowMs: untilMs - leaseMs, untilMs })
  }

  /** Sends what the receiver has not accepted, in order, until there is no more, a batch fails or another node has taken over. */
  async send(row: LeasedStreamRow, { signal, turn }: Sending): Promise<boolean> {
    const { clock } = this.#parts
    const lease = new Lease(this.#parts, rules, row)
    for (;;) {
      const page = await this.#pageAfter(lease.row)
      const { failure, messages, position, checkpoint, isLast } = await turn(async () => {
        const batch = this.#batchOf(lease.row, page)
        return { ...batch, failure: await this.#post(batch.messages, signal) }
      })
      if (failure !== undefined) {
        // What was aborted by the stop says nothing about the receiver.
        await (signal.aborted ? lease.settle({}, clock.now()) : this.#fail(lease, failure))
        return true
      }
      const isOurs = await lease.settle({ position, checkpoint, ...accepted }, isLast ? clock.now() : undefined)
      this.metrics.delivered += messages.length
      if (!isOurs || isLast || signal.aborted) return true
    }
  }

  async #post(messages: readonly StreamMessage[], signal: AbortSignal): Promise<string | undefined> {
    if (messages.length === 0) return undefined
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const failure = await this.#parts.receiver.send(messages, ended)
    return failure !== undefined && ended.aborted ? 'no answer in time' : failure
  }

  /** Returns the next entries of a log, the link of the entry before them, and the checkpoints of what is delivered then. */
  async #pageAfter({ org_id: orgId, position, checkpoint }: LeasedStreamRow): Promise<Page> {
    const { sql, maxEntries: limit = maxEntries } = this.#parts
    const rows = await entriesBetween(sql, orgId, position - 1, Number.MAX_SAFE_INTEGER, limit + 1)
    const [first] = rows
    const isBefore = first?.seq === position
    const entries = isBefore ? rows.slice(1) : rows.slice(0, limit)
    const checkpoints = await checkpointsBetween(sql, orgId, checkpoint, entries.at(-1)?.seq ?? position)
    return { before: (isBefore ? first.chain : undefined) ?? '', entries, checkpoints, isLast: entries.length < limit }
  }

  #batchOf({ org_id: orgId, organization, position, checkpoint }: LeasedStreamRow, page: Page): Batch {
    const { format, version } = this.#parts
    const context = { orgId, organization, format, version }
    const { before, entries, checkpoints, isLast } = page
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

  async #fail(lease: Lease<LeasedStreamRow>, failure: string): Promise<void> {
    const { org_id: orgId, attempts } = lease.row
    await lease.fail(failure)
    this.metrics.failed++
    if (attempts > 0) return
    this.#parts.log.warn('the audit stream did not accept entries, which will be sent again', {
      orgId,
      reason: failure,
    })
  }
}
