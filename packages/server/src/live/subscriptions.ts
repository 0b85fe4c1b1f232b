/**
 * Notifies subscribers of new revisions. The node polls once a second all projects with subscribers on this node, whichever
 * node made the revision. It does not poll while there are no subscribers.
 */
import { compareCodePoints } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { Coalescer } from '../concurrency/coalescer.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { stageHeads, type StageHeadRow } from '../storage/revisions.ts'
import type { Reader } from '../storage/sql.ts'
import { changeEventsOf, type ChangeEvent } from './change-events.ts'
import type { Cursor } from './cursor.ts'

/** The events that a subscriber receives. */
export interface SubscriptionFilter {
  readonly orgId: string
  readonly projectId: string
  /** The revisions that the client already has; undefined to receive only events after the first poll. */
  readonly since: Cursor | undefined
  readonly includes: (stageSlug: string) => boolean
}

/** The origin of a subscriber: its credential (for provider tokens, the user) and its IP address. */
export interface SubscriberOrigin {
  readonly credential: string
  readonly address: string
}

/** The part of a stage that a subscriber sees. */
export interface SubscriberView {
  /** Equal views have equal keys. */
  readonly key: string
  readonly version: () => Promise<string>
}

/** A client that follows the events of a project. */
export interface Subscriber {
  readonly filter: SubscriptionFilter
  readonly origin: SubscriberOrigin
  /** Absent: the subscriber sees each change. Otherwise it is notified only when the version of its view has changed. */
  readonly view?: SubscriberView | undefined
  /** The revisions of all included stages; undefined until the first poll. */
  cursor: Cursor | undefined
  /** The version of the view; undefined until the first poll. */
  version?: string | undefined
  /** Sends the event. `cursor` and `version` already include it. */
  notify(events: ChangeEvent): void
  /** Reports that proposed changes of a stage moved. `cursor` already includes it. Absent: the subscriber does not follow them. */
  readonly notifyMoved?: ((stageSlug: string) => void) | undefined
  /** Called each second. */
  tick(): void
  /** Ends the stream. Without an error, because the service stops. */
  end(apiError?: ApiError): void
}

const intervalMs = 1_000
/** 5,000 idle streams are measured in bench/RESULTS.md. */
const maxPerNode = 8_000
/** Lower than the limit of the node, so that one organization leaves room for others; likewise the next one. */
const maxPerOrganization = 6_000
const maxPerCredential = 1_000
const retryAfterSec = 10

export class Subscriptions {
  readonly #sql: Reader
  readonly #log: Log
  /** Maximum subscribers of one credential from one IP address. */
  readonly #maxPerOrigin: number
  readonly #subscribers = new Set<Subscriber>()
  /** Subscribers by organization, credential and origin. */
  readonly #counts = new Map<string, number>()
  readonly #polls = new Coalescer<Iterable<Subscriber>, void>((groups) => this.#poll(groups))
  #timer: NodeJS.Timeout | undefined
  #isPolling = false
  #isTicking = false
  #isFailing = false
  #isClosed = false

  constructor({ sql, log, perHolder: maxPerOrigin = 250 }: { sql: Reader; log: Log; perHolder?: number }) {
    this.#sql = sql
    this.#log = log
    this.#maxPerOrigin = maxPerOrigin
  }

  /** Resolves once the subscriber has received all events it missed. Throws RATE_LIMITED, SERVICE_UNAVAILABLE or StoreUnavailable. */
  async start(subscriber: Subscriber): Promise<void> {
    if (this.#isClosed) throw new ApiError('SERVICE_UNAVAILABLE', 'The service is stopping: connect again in a moment.')
    this.#assertRoom(subscriber)
    this.#subscribers.add(subscriber)
    for (const key of keysOf(subscriber)) this.#counts.set(key, this.#countOf(key) + 1)
    this.#timer ??= setInterval(() => {
      void this.#tickAll()
      void this.#pollForAll()
    }, intervalMs).unref()
    try {
      await this.#polls.add([subscriber])
    } catch (error) {
      this.stop(subscriber)
      throw error
    }
  }

  stop(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber)) return
    for (const key of keysOf(subscriber)) {
      const left = this.#countOf(key) - 1
      if (left > 0) this.#counts.set(key, left)
      else this.#counts.delete(key)
    }
    if (this.#subscribers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends all subscriptions and accepts no new ones. */
  close(): void {
    this.#isClosed = true
    for (const subscriber of this.#subscribers) subscriber.end()
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #assertRoom(subscriber: Subscriber): void {
    const [sameOrganization = 0, sameCredential = 0, sameOrigin = 0] = keysOf(subscriber).map((key) =>
      this.#countOf(key),
    )
    const hasRoom = this.#subscribers.size < maxPerNode && sameOrganization < maxPerOrganization
    if (hasRoom && sameCredential < maxPerCredential && sameOrigin < this.#maxPerOrigin) return
    throw new ApiError('RATE_LIMITED', 'Too many event streams are open: close some, or try again later.', {
      'retry-after': String(retryAfterSec),
    })
  }

  /** Ticks all subscribers, and serves other requests in between. */
  async #tickAll(): Promise<void> {
    if (this.#isTicking) return
    this.#isTicking = true
    const slices = new TimeSlices()
    for (const subscriber of this.#subscribers) {
      if (slices.isOver) await slices.next()
      subscriber.tick()
    }
    this.#isTicking = false
  }

  async #pollForAll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      await this.#polls.add(this.#subscribers)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('poll for new revisions failed', { reason: reasonOf(error) })
      this.#isFailing = true
    } finally {
      this.#isPolling = false
    }
  }

  async #poll(groups: readonly Iterable<Subscriber>[]): Promise<void[]> {
    const subscribers = new Set(groups.flatMap((group) => [...group]))
    const rows = await stageHeads(this.#sql, [...new Set([...subscribers].map(({ filter }) => filter.projectId))])
    const poll = new Poll(this.#sql, rows)
    const slices = new TimeSlices()
    for (const subscriber of subscribers) {
      // Thousands of subscribers may have the same event.
      if (slices.isOver) await slices.next()
      if (this.#subscribers.has(subscriber)) await poll.bring(subscriber)
    }
    return groups.map(() => {})
  }
}

/** The state of all projects that subscribers follow, at one moment. What several subscribers need is read once. */
class Poll {
  readonly #sql: Reader
  readonly #heads: ReadonlyMap<string, readonly StageHeadRow[]>
  readonly #events = new Map<string, Promise<ChangeEvent[]>>()
  readonly #versions = new Map<string, Promise<string>>()

  constructor(sql: Reader, rows: readonly StageHeadRow[]) {
    this.#sql = sql
    const sorted = rows.toSorted((a, b) => compareCodePoints(a.stage_slug, b.stage_slug))
    this.#heads = Map.groupBy(sorted, (row) => row.project_id)
  }

  /** Notifies a subscriber of what it missed. Returns a promise only if it missed something or is new. */
  bring(subscriber: Subscriber): Promise<void> | undefined {
    const { includes, since, projectId } = subscriber.filter
    const known = subscriber.cursor ?? since
    const included = (this.#heads.get(projectId) ?? []).filter(
      ({ stage_slug: slug, deleted_at_ms: deletedAtMs }) =>
        includes(slug) && (deletedAtMs === null || known?.has(slug) === true),
    )
    const isNew = !subscriber.cursor
    const cursor = (subscriber.cursor ??= initialCursor(included, since, subscriber.notifyMoved !== undefined))
    const behind = included.filter(({ stage_slug: slug, revision }) => (cursor.get(slug) ?? 0) !== revision)
    const { view } = subscriber
    if (view) return isNew || behind.length > 0 ? this.#show(subscriber, view, cursor, behind) : undefined
    const { notifyMoved } = subscriber
    const moved = notifyMoved
      ? included.filter((head) => (cursor.get(movesKeyOf(head)) ?? 0) !== head.changes_moved)
      : []
    return behind.length > 0 || moved.length > 0 ? this.#notify(subscriber, cursor, behind, moved) : undefined
  }

  async #notify(
    subscriber: Subscriber,
    cursor: Cursor,
    behind: readonly StageHeadRow[],
    moved: readonly StageHeadRow[],
  ): Promise<void> {
    for (const head of behind) {
      for (const events of await this.#eventsSince(head, cursor.get(head.stage_slug) ?? 0)) {
        cursor.set(events.stageSlug, events.revision)
        subscriber.notify(events)
      }
    }
    for (const head of moved) {
      cursor.set(movesKeyOf(head), head.changes_moved)
      subscriber.notifyMoved?.(head.stage_slug)
    }
  }

  #eventsSince(head: StageHeadRow, after: number): Promise<ChangeEvent[]> {
    const key = `${head.stage_id} ${after}`
    const events = this.#events.get(key) ?? changeEventsOf(this.#sql, head, after)
    this.#events.set(key, events)
    return events
  }

  /** Brings the view of a subscriber up to date. A view that cannot be read ends its subscribers alone. */
  async #show(
    subscriber: Subscriber,
    view: SubscriberView,
    cursor: Cursor,
    behind: readonly StageHeadRow[],
  ): Promise<void> {
    const before = subscriber.version
    const reading = this.#versions.get(view.key) ?? view.version()
    this.#versions.set(view.key, reading)
    try {
      subscriber.version = await reading
    } catch {
      subscriber.end(new ApiError('SERVICE_UNAVAILABLE'))
      return
    }
    for (const { stage_slug: slug, revision } of behind) cursor.set(slug, revision)
    const [head] = behind
    if (!head || subscriber.version === before) return
    subscriber.notify({ stageSlug: head.stage_slug, revision: head.revision, names: undefined })
  }
}

/** Returns what a subscriber is counted for: its organization, its credential and its origin. */
function keysOf({ filter: { orgId }, origin: { credential, address } }: Subscriber): readonly string[] {
  return [orgId, `${orgId}\n${credential}`, `${orgId}\n${credential}\n${address}`]
}

/** Returns what the cursor says about proposed changes under: no slug has this sign. */
function movesKeyOf({ stage_slug: slug }: StageHeadRow): string {
  return `${slug}!`
}

/** Returns the initial cursor. For a stage that `since` does not name, the subscriber receives all events. */
function initialCursor(heads: readonly StageHeadRow[], since: Cursor | undefined, withMoves: boolean): Cursor {
  const revisions = heads.map(
    ({ stage_slug: slug, revision }) => [slug, since === undefined ? revision : (since.get(slug) ?? 0)] as const,
  )
  const moves = heads
    .filter(({ changes_moved: moved }) => withMoves && moved > 0)
    .map(
      (head) =>
        [movesKeyOf(head), since === undefined ? head.changes_moved : (since.get(movesKeyOf(head)) ?? 0)] as const,
    )
  return new Map([...revisions, ...moves])
}
