/**
 * What subscribers of a project have received. Those who see the same stages share a feed, so that an event is made once for all of
 * them, and a poll compares the stages of a project once, however many subscribers it has.
 */
import { compareCodePoints } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { LogicalClock } from '../consistency/read-validator.ts'
import type { TimeSlices } from '../concurrency/time-slices.ts'
import type { StageHeadRow } from '../storage/revisions.ts'
import type { Reader } from '../storage/sql.ts'
import { anyChange, changeEventsOf, type StageEvent } from './change-events.ts'
import { Cursor, type Since } from './cursor.ts'
import type { Subscriber, SubscriberView, VisibleStages } from './subscriber.ts'

/** A stage that has changed, and what is new: events, and whether its proposed changes moved. */
interface Change {
  readonly head: StageHeadRow
  readonly events: readonly StageEvent[]
  readonly isMoved: boolean
}

/** Subscribers who see the same stages of a project and have received the same. */
class Feed {
  readonly key: string
  readonly subscribers = new Set<Subscriber>()
  readonly visible: VisibleStages
  readonly withMoves: boolean
  readonly view: SubscriberView | undefined
  readonly cursor: Cursor
  /** The version of the view; undefined until it was read. */
  version: string | undefined

  constructor(key: string, { notifyMoved, view }: Subscriber, visible: VisibleStages, heads: Iterable<StageHeadRow>) {
    this.key = key
    this.visible = visible
    this.withMoves = notifyMoved !== undefined
    this.view = view
    this.cursor = new Cursor(
      [...heads]
        .filter((head) => isLive(head) && visible.includes(head.stage_slug))
        .flatMap((head) => this.#entriesOf(head)),
    )
  }

  #entriesOf(head: StageHeadRow): [string, number][] {
    const { stage_slug: slug, revision, changes_moved: moved } = head
    return [[slug, revision], ...(this.withMoves && moved > 0 ? [[movesKeyOf(head), moved] as [string, number]] : [])]
  }

  /** The id of what all subscribers have received. */
  get id(): string {
    return this.version ?? this.cursor.text
  }

  /** Sends what is new to all subscribers, and serves other requests in between. */
  async tell(changes: readonly Change[], slices: TimeSlices): Promise<void> {
    const seen = changes.filter(({ head }) => this.visible.includes(head.stage_slug))
    const [first] = seen
    if (!first) return
    if (this.view) return this.#tellView(first.head, this.view, slices)
    for (const { head, events } of seen) {
      for (const event of events) {
        this.cursor.set(head.stage_slug, event.revision)
        if (!isLive(head) && event === events.at(-1)) this.#forget(head)
        await this.#each(slices, (subscriber) => subscriber.notify(event))
      }
    }
    for (const { head, isMoved } of seen) {
      if (!this.withMoves || !isMoved || !isLive(head)) continue
      this.cursor.set(movesKeyOf(head), head.changes_moved)
      await this.#each(slices, (subscriber) => subscriber.notifyMoved?.(head.stage_slug))
    }
  }

  #forget(head: StageHeadRow): void {
    this.cursor.delete(head.stage_slug)
    this.cursor.delete(movesKeyOf(head))
  }

  /** Reads the view once for all who share it. One that cannot be read ends its subscribers alone. */
  async #tellView(head: StageHeadRow, view: SubscriberView, slices: TimeSlices): Promise<void> {
    const before = this.version
    if (!(await this.readView(view)) || this.version === before) return
    const event = { stageSlug: head.stage_slug, revision: head.revision, names: undefined }
    await this.#each(slices, (subscriber) => subscriber.notify(event))
  }

  /** Reads the version of the view. Returns false after ending all subscribers if that fails. */
  async readView(view: SubscriberView): Promise<boolean> {
    try {
      this.version = await view.version()
      return true
    } catch {
      for (const subscriber of this.subscribers) subscriber.end(new ApiError('SERVICE_UNAVAILABLE'))
      return false
    }
  }

  async #each(slices: TimeSlices, send: (subscriber: Subscriber) => void): Promise<void> {
    const { id } = this
    for (const subscriber of this.subscribers) {
      // Thousands of subscribers may have the same event.
      if (slices.isOver) await slices.next()
      subscriber.id = id
      send(subscriber)
    }
  }
}

/** What a poll knew before it read the stages. */
export interface Polled {
  /** The end of the audit log of the organization. */
  readonly logEnd: string | undefined
  /** Until when reads were void. */
  readonly voidUpTo: number
}

/** A project that subscribers follow, as the last poll found it. All of its feeds are there. */
export class FollowedProject {
  readonly orgId: string
  readonly #sql: Reader
  readonly #feeds = new Map<string, Feed>()
  readonly #feedOf = new Map<Subscriber, Feed>()
  readonly #logicalClock: LogicalClock
  /** By slug. */
  #heads: ReadonlyMap<string, StageHeadRow> | undefined
  #polled: Polled | undefined

  constructor(parts: { readonly sql: Reader; readonly logicalClock: LogicalClock; readonly orgId: string }) {
    this.#sql = parts.sql
    this.#logicalClock = parts.logicalClock
    this.orgId = parts.orgId
  }

  /** Returns whether its stages may have changed, by the end of the audit log of its organization. */
  isBehind(logEnd: string | undefined): boolean {
    return this.#heads === undefined || this.#polled?.logEnd !== logEnd
  }

  get isEmpty(): boolean {
    return this.#feedOf.size === 0
  }

  /** Brings all feeds to what a poll found: all stages; undefined if they are as before. */
  async advance(rows: readonly StageHeadRow[] | undefined, polled: Polled, slices: TimeSlices): Promise<void> {
    const before = this.#heads
    const changed = before && rows ? rows.filter((head) => isOther(before.get(head.stage_slug), head)) : []
    const isOneGone = before !== undefined && rows !== undefined && isGone(before, rows, changed)
    if (isOneGone) this.#endAll()
    const sorted = changed.toSorted((a, b) => compareCodePoints(a.stage_slug, b.stage_slug))
    // Read before anything is sent, so that a failure repeats nothing.
    const changes: Change[] = []
    for (const head of sorted) {
      if (slices.isOver) await slices.next()
      changes.push(await this.#changeOf(before?.get(head.stage_slug), head))
    }
    this.#polled = polled
    if (!before || changed.length > 0 || isOneGone) this.#heads = new Map(rows?.map((head) => [head.stage_slug, head]))
    const moving = this.#takeThoseWhoSeeOthers()
    for (const feed of this.#feeds.values()) await feed.tell(changes, slices)
    for (const subscriber of moving) this.#move(subscriber)
  }

  async #changeOf(before: StageHeadRow | undefined, head: StageHeadRow): Promise<Change> {
    const isRead = isRevised(before, head) && this.#isSeenWhole(head.stage_slug)
    // Another database may have given the revisions since then to something else.
    const isReplaced = before !== undefined && this.#polled?.voidUpTo !== this.#logicalClock.voidUpTo
    const after = isReplaced ? head.revision : (before?.revision ?? 0)
    const events = isRead ? await changeEventsOf(this.#sql, head, after) : []
    return { head, events, isMoved: (before?.changes_moved ?? 0) !== head.changes_moved }
  }

  /** Ends all streams. Their clients connect again, with cursors that show what is gone. */
  #endAll(): void {
    for (const subscriber of this.#feedOf.keys()) {
      this.leave(subscriber)
      subscriber.end()
    }
  }

  /** Returns whether a feed sends the revisions of a stage, not only versions of a view. */
  #isSeenWhole(slug: string): boolean {
    return [...this.#feeds.values()].some(({ view, visible }) => !view && visible.includes(slug))
  }

  /** Takes the subscribers who see other stages than before out of their feeds, and returns them. */
  #takeThoseWhoSeeOthers(): Subscriber[] {
    const taken = [...this.#feedOf].filter(([{ filter }, { visible }]) => filter.visible().key !== visible.key)
    return taken.map(([subscriber]) => {
      this.leave(subscriber)
      return subscriber
    })
  }

  /** Lets a subscriber go on with what it sees now. */
  #move(subscriber: Subscriber): void {
    const feed = this.#feedFor(subscriber)
    this.#add(subscriber, feed)
    subscriber.id = feed.id
    subscriber.notify(anyChange)
  }

  #feedFor(subscriber: Subscriber): Feed {
    const visible = subscriber.filter.visible()
    const { view, notifyMoved } = subscriber
    const key = JSON.stringify([visible.key, notifyMoved !== undefined, view?.key])
    const feed = this.#feeds.get(key) ?? new Feed(key, subscriber, visible, this.#heads?.values() ?? [])
    this.#feeds.set(key, feed)
    return feed
  }

  #add(subscriber: Subscriber, feed: Feed): void {
    feed.subscribers.add(subscriber)
    this.#feedOf.set(subscriber, feed)
  }

  /** Sends a subscriber what it missed, and adds it to its feed unless it has ended by then. */
  async join(subscriber: Subscriber, isOpen: () => boolean, slices: TimeSlices): Promise<void> {
    const feed = this.#feedFor(subscriber)
    this.#add(subscriber, feed)
    if (!feed.view) await this.#catchUp(subscriber, feed, slices)
    else if (feed.version === undefined && !(await feed.readView(feed.view))) return
    subscriber.id = feed.id
    if (!isOpen()) this.leave(subscriber)
  }

  async #catchUp(subscriber: Subscriber, feed: Feed, slices: TimeSlices): Promise<void> {
    const { since } = subscriber.filter
    if (since === undefined || since === feed.cursor.digest) return
    if (typeof since === 'string' || this.#isBehind(since, feed)) {
      subscriber.id = feed.id
      subscriber.notify(anyChange)
    } else await this.#sendMissed(subscriber, feed, since, slices)
  }

  /** Returns whether a client knows a stage that is not there. Deleted stages are: this happens only after a restore of an older backup. */
  #isBehind(since: ReadonlyMap<string, number>, { visible }: Feed): boolean {
    return [...since].some(
      ([key, revision]) => revision > 0 && !key.endsWith('!') && visible.includes(key) && !this.#heads?.has(key),
    )
  }

  /** Sends the events since the revisions that a client names. It receives all events of a stage that it does not name. */
  async #sendMissed(
    subscriber: Subscriber,
    { visible, withMoves }: Feed,
    since: Exclude<Since, string>,
    slices: TimeSlices,
  ): Promise<void> {
    const heads = [...(this.#heads?.values() ?? [])]
      .filter((head) => visible.includes(head.stage_slug) && (isLive(head) || since.has(head.stage_slug)))
      .toSorted((a, b) => compareCodePoints(a.stage_slug, b.stage_slug))
    const withMoved = withMoves ? heads.filter((head) => head.changes_moved > 0) : []
    const keys = [...heads.map(({ stage_slug: slug }) => slug), ...withMoved.map(movesKeyOf)]
    const cursor = new Cursor(keys.map((key) => [key, since.get(key) ?? 0]))
    for (const head of heads) {
      const after = cursor.get(head.stage_slug) ?? 0
      if (after === head.revision) continue
      // A client may have missed thousands of events of each of a thousand stages.
      if (slices.isOver) await slices.next()
      for (const event of await changeEventsOf(this.#sql, head, after)) {
        if (slices.isOver) await slices.next()
        cursor.set(event.stageSlug, event.revision)
        subscriber.id = cursor.text
        subscriber.notify(event)
      }
    }
    for (const head of withMoved) {
      if (cursor.get(movesKeyOf(head)) === head.changes_moved) continue
      cursor.set(movesKeyOf(head), head.changes_moved)
      subscriber.id = cursor.text
      subscriber.notifyMoved?.(head.stage_slug)
    }
  }

  leave(subscriber: Subscriber): void {
    const feed = this.#feedOf.get(subscriber)
    if (!feed) return
    this.#feedOf.delete(subscriber)
    feed.subscribers.delete(subscriber)
    if (feed.subscribers.size === 0) this.#feeds.delete(feed.key)
  }
}

function isLive({ deleted_at_ms: deletedAtMs }: StageHeadRow): boolean {
  return deletedAtMs === null
}

/** Returns whether a stage has changed. One that was deleted before and still is has not, for everyone who follows it. */
function isOther(before: StageHeadRow | undefined, head: StageHeadRow): boolean {
  if (!isLive(head) && (!before || !isLive(before))) return false
  return isRevised(before, head) || before?.changes_moved !== head.changes_moved
}

/** Returns whether the stage has another revision. In another database, it may have the same number. */
function isRevised(before: StageHeadRow | undefined, head: StageHeadRow): boolean {
  return (
    before?.revision !== head.revision ||
    before.updated_at_ms !== head.updated_at_ms ||
    before.stage_id !== head.stage_id
  )
}

/** Returns whether a stage from before is not there anymore. Deleted ones are: this happens only in a database that has replaced another. */
function isGone(
  before: ReadonlyMap<string, StageHeadRow>,
  rows: readonly StageHeadRow[],
  changed: readonly StageHeadRow[],
): boolean {
  if (changed.length === 0 && rows.length >= before.size) return false
  const slugs = new Set(rows.map((row) => row.stage_slug))
  return [...before.keys()].some((slug) => !slugs.has(slug))
}

/** Returns what the cursor says about proposed changes under: no slug has this sign. */
function movesKeyOf({ stage_slug: slug }: StageHeadRow): string {
  return `${slug}!`
}
