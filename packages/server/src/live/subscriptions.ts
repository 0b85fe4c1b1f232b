/**
 * Notifies subscribers of new revisions. The node polls once a second all projects with subscribers on this node, whichever
 * node made the revision. It does not poll while there are no subscribers.
 */
import { compareCodePoints } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { Coalescer } from '../concurrency/coalescer.ts'
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

/** A client that follows the events of a project. */
export interface Subscriber {
  readonly filter: SubscriptionFilter
  readonly origin: SubscriberOrigin
  /** The revisions of all included stages; undefined until the first poll. */
  cursor: Cursor | undefined
  /** Sends the event. `cursor` already includes it. */
  notify(events: ChangeEvent): void
  /** Ends the stream because the service stops. */
  end(): void
}

const pollIntervalMs = 1_000
const maxPerOrganization = 100
/** Lower than the limit of the organization, so that one credential leaves room for others. */
const maxPerCredential = maxPerOrganization / 4
const maxPerNode = 1_000
const retryAfterSec = 10

export class Subscriptions {
  readonly #sql: Reader
  readonly #log: Log
  /** Maximum subscribers of one credential from one IP address. */
  readonly #maxPerOrigin: number
  readonly #subscribers = new Set<Subscriber>()
  readonly #polls = new Coalescer<Subscriber, void>((subscribers) => this.#poll(subscribers))
  #timer: NodeJS.Timeout | undefined
  #isPolling = false
  #isFailing = false
  #isClosed = false

  constructor({ sql, log, perHolder: maxPerOrigin = 10 }: { sql: Reader; log: Log; perHolder?: number }) {
    this.#sql = sql
    this.#log = log
    this.#maxPerOrigin = maxPerOrigin
  }

  /** Resolves once the subscriber has received all events it missed. Throws RATE_LIMITED, SERVICE_UNAVAILABLE or StoreUnavailable. */
  async start(subscriber: Subscriber): Promise<void> {
    if (this.#isClosed) throw new ApiError('SERVICE_UNAVAILABLE', 'The service is stopping: connect again in a moment.')
    this.#assertRoom(subscriber)
    this.#subscribers.add(subscriber)
    this.#timer ??= setInterval(() => void this.#pollForAll(), pollIntervalMs).unref()
    try {
      await this.#polls.add(subscriber)
    } catch (error) {
      this.stop(subscriber)
      throw error
    }
  }

  stop(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends all subscriptions and accepts no new ones. */
  close(): void {
    this.#isClosed = true
    for (const subscriber of this.#subscribers) subscriber.end()
  }

  #assertRoom({ filter: { orgId }, origin: { credential, address } }: Subscriber): void {
    const sameOrganization = [...this.#subscribers].filter(({ filter }) => filter.orgId === orgId)
    const sameCredential = sameOrganization.filter(({ origin }) => origin.credential === credential)
    const sameOrigin = sameCredential.filter(({ origin }) => origin.address === address)
    const hasRoom = this.#subscribers.size < maxPerNode && sameOrganization.length < maxPerOrganization
    if (hasRoom && sameCredential.length < maxPerCredential && sameOrigin.length < this.#maxPerOrigin) return
    throw new ApiError('RATE_LIMITED', 'Too many event streams are open: close some, or try again later.', {
      'retry-after': String(retryAfterSec),
    })
  }

  async #pollForAll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      await Promise.all([...this.#subscribers].map((subscriber) => this.#polls.add(subscriber)))
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('poll for new revisions failed', { reason: reasonOf(error) })
      this.#isFailing = true
    } finally {
      this.#isPolling = false
    }
  }

  async #poll(requested: readonly Subscriber[]): Promise<void[]> {
    const subscribers = [...new Set(requested)]
    const rows = await stageHeads(this.#sql, [...new Set(subscribers.map(({ filter }) => filter.projectId))])
    const heads = Map.groupBy(rows, (row) => row.project_id)
    const known = new Map<string, Promise<ChangeEvent[]>>()
    const eventsSince = (head: StageHeadRow, after: number): Promise<ChangeEvent[]> => {
      const key = `${head.stage_id} ${after}`
      const events = known.get(key) ?? changeEventsOf(this.#sql, head, after)
      known.set(key, events)
      return events
    }
    return Promise.all(
      subscribers.map((subscriber) =>
        notifySubscriber(subscriber, heads.get(subscriber.filter.projectId) ?? [], eventsSince),
      ),
    )
  }
}

async function notifySubscriber(
  subscriber: Subscriber,
  heads: readonly StageHeadRow[],
  eventsSince: (head: StageHeadRow, after: number) => Promise<ChangeEvent[]>,
): Promise<void> {
  const { includes, since } = subscriber.filter
  const known = subscriber.cursor ?? since
  const included = heads
    .filter((head) => includes(head.stage_slug) && (head.deleted_at_ms === null || known?.has(head.stage_slug)))
    .toSorted((a, b) => compareCodePoints(a.stage_slug, b.stage_slug))
  const cursor = (subscriber.cursor ??= initialCursor(included, since))
  for (const head of included) {
    const after = cursor.get(head.stage_slug) ?? 0
    if (after === head.revision) continue
    for (const events of await eventsSince(head, after)) {
      cursor.set(events.stageSlug, events.revision)
      subscriber.notify(events)
    }
  }
}

/** Returns the initial cursor. For a stage that `since` does not name, the subscriber receives all events. */
function initialCursor(heads: readonly StageHeadRow[], since: Cursor | undefined): Cursor {
  return new Map(
    heads.map(({ stage_slug: slug, revision }) => [slug, since === undefined ? revision : (since.get(slug) ?? 0)]),
  )
}
