/**
 * Tells watchers of new revisions: one look a second at all projects that somebody of this node watches, whichever node
 * made the revision, and none while nobody does.
 */
import { ApiError } from '../../base/api-error.ts'
import { Coalescer } from '../../base/coalescer.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import { headsOf, type HeadRow } from '../../storage/revisions.ts'
import type { Reader } from '../../storage/sql.ts'
import { compareCodePoints } from '../code-points.ts'
import { changeEventsOf, type ChangeEvent } from './change-events.ts'
import type { Cursor } from './cursor.ts'

/** What a watcher wants to be told of. */
export interface SubscriptionFilter {
  readonly orgId: string
  readonly projectId: string
  /** Undefined: what is new from the first look on. */
  readonly since: Cursor | undefined
  readonly includes: (stageSlug: string) => boolean
}

/** Who watches: a credential (of provider tokens, the user), and the address that it comes from. */
export interface SubscriberOrigin {
  readonly credential: string
  readonly address: string
}

export interface Subscriber {
  readonly subject: SubscriptionFilter
  readonly holder: SubscriberOrigin
  /** Of all stages that it is told of; undefined until the first look. */
  cursor: Cursor | undefined
  /** `seen` is as of this piece already. */
  notify(events: ChangeEvent): void
  /** The service stops. */
  end(): void
}

const lookEveryMs = 1_000
const maxOfOrganization = 100
/** One credential leaves room for others of its organization. */
const maxOfCredential = maxOfOrganization / 4
const maxOfNode = 1_000
const retryAfterSec = 10

export class Subscriptions {
  readonly #sql: Reader
  readonly #log: Log
  /** Maximum watchers of one credential from one address. */
  readonly #perHolder: number
  readonly #watchers = new Set<Subscriber>()
  readonly #looks = new Coalescer<Subscriber, void>((subscribers) => this.#look(subscribers))
  #timer: NodeJS.Timeout | undefined
  #looking = false
  #isBlind = false
  #closed = false

  constructor({ sql, log, perHolder = 10 }: { sql: Reader; log: Log; perHolder?: number }) {
    this.#sql = sql
    this.#log = log
    this.#perHolder = perHolder
  }

  /** Resolves when the watcher has been told what is new to it. Throws RATE_LIMITED, SERVICE_UNAVAILABLE or StoreUnavailable. */
  async start(subscriber: Subscriber): Promise<void> {
    if (this.#closed) throw new ApiError('SERVICE_UNAVAILABLE', 'The service is stopping.')
    this.#assertRoom(subscriber)
    this.#watchers.add(subscriber)
    this.#timer ??= setInterval(() => void this.#lookForAll(), lookEveryMs).unref()
    try {
      await this.#looks.add(subscriber)
    } catch (error) {
      this.stop(subscriber)
      throw error
    }
  }

  stop(subscriber: Subscriber): void {
    this.#watchers.delete(subscriber)
    if (this.#watchers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends all watchers, and takes no others. */
  close(): void {
    this.#closed = true
    for (const subscriber of this.#watchers) subscriber.end()
  }

  #assertRoom({ subject: { orgId }, holder: { credential, address } }: Subscriber): void {
    const ofOrganization = [...this.#watchers].filter(({ subject }) => subject.orgId === orgId)
    const ofCredential = ofOrganization.filter(({ holder }) => holder.credential === credential)
    const ofHolder = ofCredential.filter(({ holder }) => holder.address === address)
    const hasRoom = this.#watchers.size < maxOfNode && ofOrganization.length < maxOfOrganization
    if (hasRoom && ofCredential.length < maxOfCredential && ofHolder.length < this.#perHolder) return
    throw new ApiError('RATE_LIMITED', 'Too many streams of events are open: close some, or wait until others do.', {
      'retry-after': String(retryAfterSec),
    })
  }

  async #lookForAll(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      await Promise.all([...this.#watchers].map((subscriber) => this.#looks.add(subscriber)))
      this.#isBlind = false
    } catch (error) {
      if (!this.#isBlind) this.#log.warn('new revisions cannot be looked for', { reason: reasonOf(error) })
      this.#isBlind = true
    } finally {
      this.#looking = false
    }
  }

  async #look(group: readonly Subscriber[]): Promise<void[]> {
    const subscribers = [...new Set(group)]
    const rows = await headsOf(this.#sql, [...new Set(subscribers.map(({ subject }) => subject.projectId))])
    const heads = Map.groupBy(rows, (row) => row.project_id)
    const known = new Map<string, Promise<ChangeEvent[]>>()
    const eventsSince = (head: HeadRow, after: number): Promise<ChangeEvent[]> => {
      const key = `${head.stage_id} ${after}`
      const events = known.get(key) ?? changeEventsOf(this.#sql, head, after)
      known.set(key, events)
      return events
    }
    return Promise.all(
      subscribers.map((subscriber) =>
        notifySubscriber(subscriber, heads.get(subscriber.subject.projectId) ?? [], eventsSince),
      ),
    )
  }
}

async function notifySubscriber(
  subscriber: Subscriber,
  heads: readonly HeadRow[],
  eventsSince: (head: HeadRow, after: number) => Promise<ChangeEvent[]>,
): Promise<void> {
  const { includes, since } = subscriber.subject
  const own = heads
    .filter((head) => includes(head.stage_slug))
    .toSorted((a, b) => compareCodePoints(a.stage_slug, b.stage_slug))
  const seen = (subscriber.cursor ??= startOf(own, since))
  for (const head of own) {
    const after = seen.get(head.stage_slug) ?? 0
    if (after === head.revision) continue
    for (const events of await eventsSince(head, after)) {
      seen.set(events.stageSlug, events.revision)
      subscriber.notify(events)
    }
  }
}

/** A stage that the watcher does not name is one that it has not seen. */
function startOf(heads: readonly HeadRow[], since: Cursor | undefined): Cursor {
  return new Map(
    heads.map(({ stage_slug: slug, revision }) => [slug, since === undefined ? revision : (since.get(slug) ?? 0)]),
  )
}
