/**
 * Notifies subscribers of new revisions. The node polls twice a second all projects with subscribers on this node, whichever
 * node made the revision. It does not poll while there are no subscribers. A poll reads the stages of an organization only if something was
 * appended to its audit log.
 */
import { ApiError } from '../base/api-error.ts'
import { Coalescer } from '../concurrency/coalescer.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { LogicalClock } from '../consistency/read-validator.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { logEnds, stageHeads } from '../storage/revisions.ts'
import type { Reader } from '../storage/sql.ts'
import { FollowedProject } from './feed.ts'
import type { Subscriber } from './subscriber.ts'

const tickMs = 1_000
const pollMs = 500
/** 5,000 idle streams are measured in bench/RESULTS.md. */
const maxPerNode = 8_000
/** Lower than the limit of the node, so that one organization leaves room for others; likewise the next one. */
const maxPerOrganization = 6_000
const maxPerCredential = 1_000
const retryAfterSec = 10

interface SubscriptionsParts {
  readonly sql: Reader
  readonly log: Log
  readonly logicalClock: LogicalClock
  readonly perHolder?: number
}

export class Subscriptions {
  readonly #sql: Reader
  readonly #log: Log
  readonly #logicalClock: LogicalClock
  /** Maximum subscribers of one credential from one IP address. */
  readonly #maxPerOrigin: number
  readonly #subscribers = new Set<Subscriber>()
  /** Subscribers by organization, credential and origin. */
  readonly #counts = new Map<string, number>()
  /** The projects that have subscribers, by id. */
  readonly #projects = new Map<string, FollowedProject>()
  readonly #polls = new Coalescer<Subscriber | 'all', void>((items) => this.#poll(items))
  #timers: readonly NodeJS.Timeout[] = []
  #isPolling = false
  #isTicking = false
  #isFailing = false
  #isClosed = false

  constructor({ sql, log, logicalClock, perHolder: maxPerOrigin = 250 }: SubscriptionsParts) {
    this.#sql = sql
    this.#log = log
    this.#logicalClock = logicalClock
    this.#maxPerOrigin = maxPerOrigin
  }

  /** Resolves once the subscriber has received all events it missed. Throws RATE_LIMITED, SERVICE_UNAVAILABLE or StoreUnavailable. */
  async start(subscriber: Subscriber): Promise<void> {
    if (this.#isClosed) throw new ApiError('SERVICE_UNAVAILABLE', 'The service is stopping: connect again in a moment.')
    this.#assertRoom(subscriber)
    this.#subscribers.add(subscriber)
    for (const key of keysOf(subscriber)) this.#counts.set(key, this.#countOf(key) + 1)
    if (this.#timers.length === 0) this.#startTimers()
    try {
      await this.#polls.add(subscriber)
    } catch (error) {
      this.stop(subscriber)
      throw error
    }
  }

  stop(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber)) return
    this.#projects.get(subscriber.filter.projectId)?.leave(subscriber)
    for (const key of keysOf(subscriber)) {
      const left = this.#countOf(key) - 1
      if (left > 0) this.#counts.set(key, left)
      else this.#counts.delete(key)
    }
    if (this.#subscribers.size > 0) return
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
  }

  #startTimers(): void {
    this.#timers = [
      setInterval(() => void this.#tickAll(), tickMs).unref(),
      setInterval(() => void this.#pollForAll(), pollMs).unref(),
    ]
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
      await this.#polls.add('all')
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('poll for new revisions failed', { reason: reasonOf(error) })
      this.#isFailing = true
    } finally {
      this.#isPolling = false
    }
  }

  /** Brings the projects of new subscribers up to date, or all projects, and lets the new ones follow. */
  async #poll(items: readonly (Subscriber | 'all')[]): Promise<void[]> {
    const starting = items.filter((item) => item !== 'all' && this.#subscribers.has(item)) as readonly Subscriber[]
    const polled = new Map(items.includes('all') ? this.#projects : [])
    for (const { filter } of starting) {
      const parts = { sql: this.#sql, logicalClock: this.#logicalClock, orgId: filter.orgId }
      polled.set(filter.projectId, this.#projects.get(filter.projectId) ?? new FollowedProject(parts))
    }
    const slices = new TimeSlices()
    await this.#advance(polled, slices)
    for (const subscriber of starting) {
      if (slices.isOver) await slices.next()
      await this.#projects
        .get(subscriber.filter.projectId)
        ?.join(subscriber, () => this.#subscribers.has(subscriber), slices)
    }
    for (const [id, project] of this.#projects) if (project.isEmpty) this.#projects.delete(id)
    return items.map(() => {})
  }

  /** Reads the stages of projects whose organization has changed anything since, and brings all to the present. */
  async #advance(projects: ReadonlyMap<string, FollowedProject>, slices: TimeSlices): Promise<void> {
    if (projects.size === 0) return
    const { voidUpTo } = this.#logicalClock
    const ends = await logEnds(this.#sql, [...new Set([...projects.values()].map(({ orgId }) => orgId))])
    const behind = new Set(
      [...projects].filter(([, project]) => project.isBehind(ends.get(project.orgId))).map(([id]) => id),
    )
    const rows = behind.size === 0 ? [] : await stageHeads(this.#sql, [...behind])
    const byProject = Map.groupBy(rows, (row) => row.project_id)
    for (const [id, project] of projects) {
      this.#projects.set(id, project)
      const found = behind.has(id) ? (byProject.get(id) ?? []) : undefined
      await project.advance(found, { logEnd: ends.get(project.orgId), voidUpTo }, slices)
    }
  }
}

/** Returns what a subscriber is counted for: its organization, its credential and its origin. */
function keysOf({ filter: { orgId }, origin: { credential, address } }: Subscriber): readonly string[] {
  return [orgId, `${orgId}\n${credential}`, `${orgId}\n${credential}\n${address}`]
}
