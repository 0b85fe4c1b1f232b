/**
 * Sends what waits in the outboxes, on every node (docs/decisions/0070-one-outbox-worker.md). One statement finds what is due in all of
 * them. A lease keeps nodes from sending the same; a node that is killed leaves its messages to another one, which sends them again under
 * the same ids. A receiver that hangs holds its own place, and nothing else.
 */
import type { Timer } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { FairQueue } from '../concurrency/fair-queue.ts'
import { RequestLoad } from '../concurrency/light-work.ts'
import { dueRows, type DueRow } from '../storage/leases.ts'
import type { Durability, Sql, Tx } from '../storage/sql.ts'

/** How long until a node looks again. */
const pollIntervalMs = 500
/** Maximum rows that one transaction leases. */
const leasedTogether = 64
/** How long a node leaves a row alone that it could not prepare. */
const unpreparedMs = 30_000
/**
 * How long delivery rests beside requests while they are a load, as a multiple of what composing a message takes. That is about a
 * third of what the message costs, so delivery takes a twentieth of the time.
 */
const restFactor = 60

/** What a message is sent with. */
export interface Sending {
  /** Aborts when the service stops. What was aborted says nothing about the receiver. */
  readonly signal: AbortSignal
  /** Begins to send when it is the turn of the organization. While requests are a load, turns are rare. */
  readonly turn: <T>(send: () => Promise<T>) => Promise<T>
}

/** Rows that are to be sent. A row is what a node sends in order, such as a message, or the log that a webhook reads. */
export interface Outbox<Row = unknown> {
  readonly name: string
  /** Query of what is due, as of `OutboxTable`. */
  readonly due: string
  /** How many looks pass until one includes it. More for a query that reads every log. @default 1 */
  readonly everyLooks?: number
  /** Maximum rows that a node sends at once. */
  readonly places: number
  readonly leaseMs: number
  /** What leases survive. @default 'process' */
  readonly durability?: Durability
  /** Leases what is due. Returns undefined if another node has leased it. */
  lease(tx: Tx, due: DueRow, untilMs: number): Promise<Row | undefined>
  /** Sends a row and settles it. Returns whether the outbox may go on at once, if more is due than it has places for. */
  send(row: Row, sending: Sending): Promise<boolean>
}

export interface OutboxWorkerParts {
  readonly sql: Sql
  readonly outboxes: readonly Outbox[]
  readonly clock: Timer
  readonly log: Log
  /** Gives organizations their turns. */
  readonly turns?: Pick<FairQueue, 'begin'>
}

export class OutboxWorker {
  readonly #parts: OutboxWorkerParts
  readonly #load = new RequestLoad()
  readonly #turns: Pick<FairQueue, 'begin'>
  readonly #abort = new AbortController()
  /** What is being sent: the outbox and the organization of each place that is taken. */
  readonly #sending = new Map<Promise<void>, { readonly outbox: Outbox; readonly orgId: string }>()
  /** Rows that could not be prepared, and until when they hold no place. */
  readonly #resting = new Map<string, { readonly outbox: Outbox; readonly untilMs: number }>()
  /** Outboxes in which more may be due than was begun. */
  readonly #behind = new Set<Outbox>()
  /** Names of works that failed the last time. */
  readonly #failing = new Set<string>()
  #endInterval = (): void => {}
  #round: Promise<void> | undefined
  #looksAgain = false
  #looks = 0

  constructor(parts: OutboxWorkerParts) {
    this.#parts = parts
    this.#turns = parts.turns ?? new FairQueue({ light: this.#load, restFactor })
  }

  start(): void {
    this.#endInterval = this.#parts.clock.every(pollIntervalMs, () => {
      this.#load.measure()
      if (!this.#round) this.#look()
    })
  }

  /** Stops. What is being sent is aborted, and sent again under its id. */
  async close(): Promise<void> {
    this.#endInterval()
    this.#abort.abort()
    await this.idle()
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#round || this.#sending.size > 0) await Promise.all([this.#round, ...this.#sending.keys()])
  }

  /** Begins what is due, and does not wait for it. */
  #look(): void {
    this.#looksAgain = true
    this.#round ??= this.#lookUntilDone().finally(() => (this.#round = undefined))
  }

  async #lookUntilDone(): Promise<void> {
    while (this.#looksAgain && !this.#abort.signal.aborted) {
      this.#looksAgain = false
      await this.#attempt({ name: 'all' }, () => this.#beginDue())
    }
  }

  async #beginDue(): Promise<void> {
    const { sql, clock } = this.#parts
    const isIncluded = (each: Outbox): boolean => this.#looks % (each.everyLooks ?? 1) === 0 || this.#behind.has(each)
    const outboxes = this.#parts.outboxes.filter(isIncluded)
    this.#looks++
    const nowMs = clock.now()
    for (const [key, { untilMs }] of this.#resting) if (untilMs <= nowMs) this.#resting.delete(key)
    const resting = [...this.#resting.values()]
    const queries = outboxes.map((outbox) => {
      const { name, due, places } = outbox
      return { name, due, places: places + resting.filter((each) => each.outbox === outbox).length }
    })
    // Nearly always nothing is due, and a read keeps no one from writing.
    const due = await dueRows(sql, queries, nowMs)
    for (const outbox of outboxes) {
      const rows = due.filter((row) => row.outbox === outbox.name && !this.#resting.has(keyOf(outbox, row.id)))
      const held = [...this.#sending.values()].flatMap((each) => (each.outbox === outbox ? [each.orgId] : []))
      const picked = fairShare(rows, held, outbox.places)
      if (picked.length < rows.length || rows.length >= outbox.places) this.#behind.add(outbox)
      else this.#behind.delete(outbox)
      for (let at = 0; at < picked.length && !this.#abort.signal.aborted; at += leasedTogether)
        await this.#attempt({ name: `leases of ${outbox.name}` }, () =>
          this.#lease(outbox, picked.slice(at, at + leasedTogether)),
        )
    }
  }

  async #lease(outbox: Outbox, due: readonly DueRow[]): Promise<void> {
    const { sql, clock } = this.#parts
    const untilMs = clock.now() + outbox.leaseMs
    const leased = await sql.tx(async (tx) => {
      const rows: (readonly [DueRow, unknown])[] = []
      // In the order of their ids, so that two nodes do not wait for each other.
      for (const each of due.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const row = await outbox.lease(tx, each, untilMs)
        if (row !== undefined) rows.push([each, row])
      }
      return rows
    }, outbox.durability ?? 'process')
    for (const [each, row] of leased) this.#begin(outbox, each, row)
  }

  #begin(outbox: Outbox, { id, org_id: orgId }: DueRow, row: unknown): void {
    const { signal } = this.#abort
    const turn = async <T>(send: () => Promise<T>): Promise<T> => {
      const end = await this.#turns.begin(orgId)
      const sent = (async () => send())()
      end()
      return sent
    }
    let goesOn = false
    const sending = this.#attempt({ name: outbox.name, id }, async () => {
      try {
        goesOn = await outbox.send(row, { signal, turn })
      } catch (error) {
        this.#resting.set(keyOf(outbox, id), { outbox, untilMs: this.#parts.clock.now() + unpreparedMs })
        throw error
      }
    }).finally(() => {
      this.#sending.delete(sending)
      if (goesOn && this.#behind.has(outbox)) this.#look()
    })
    this.#sending.set(sending, { outbox, orgId })
  }

  /** Does what is done again after a failure, of which the first is logged. `id`: what is sent, if it is that which fails. */
  async #attempt({ name, id }: { name: string; id?: string }, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#failing.delete(name)
    } catch (error) {
      if (this.#failing.has(name)) return
      this.#failing.add(name)
      const { log } = this.#parts
      const reason = reasonOf(error)
      if (id === undefined) log.warn('what waits to be sent could not be read', { reason })
      else log.warn('a message could not be prepared and will be tried again', { name: `${name} ${id}`, reason })
    }
  }
}

function keyOf({ name }: Outbox, id: string): string {
  return `${name} ${id}`
}

/**
 * Returns what may begin. An organization holds at most as many places as are free then, so that there are some for the next organization,
 * whatever those before it send to. `due` is in turns of the organizations; `held` has the organization of each place that is taken.
 */
export function fairShare<Due extends { readonly org_id: string }>(
  due: readonly Due[],
  held: readonly string[],
  places: number,
): Due[] {
  const placesOf = new Map<string, number>()
  for (const orgId of held) placesOf.set(orgId, (placesOf.get(orgId) ?? 0) + 1)
  let free = places - held.length
  return due.filter(({ org_id: orgId }) => {
    const own = placesOf.get(orgId) ?? 0
    if (own >= free) return false
    placesOf.set(orgId, own + 1)
    free--
    return true
  })
}
