/**
 * Tells watchers of new revisions: one look a second at all projects that somebody of this node watches, whichever node
 * made the revision, and none while nobody does.
 */
import { Fault } from '../../base/fault.ts'
import { Groups } from '../../base/groups.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import { headsOf, type HeadRow } from '../../storage/revisions.ts'
import type { Reader } from '../../storage/sql.ts'
import { compareCodePoints } from '../code-points.ts'
import { newsOf, type News } from './news.ts'
import type { Seen } from './seen.ts'

/** What a watcher wants to be told of. */
export interface Subject {
  readonly orgId: string
  readonly projectId: string
  /** Undefined: what is new from the first look on. */
  readonly since: Seen | undefined
  readonly includes: (stageSlug: string) => boolean
}

/** Who watches: a credential (of provider tokens, the user), and the address that it comes from. */
export interface Holder {
  readonly credential: string
  readonly address: string
}

export interface Watcher {
  readonly subject: Subject
  readonly holder: Holder
  /** Of all stages that it is told of; undefined until the first look. */
  seen: Seen | undefined
  /** `seen` is as of this piece already. */
  tell(news: News): void
  /** The service stops. */
  end(): void
}

const lookEveryMs = 1_000
const mostOfOrganization = 100
/** One credential leaves room for others of its organization. */
const mostOfCredential = mostOfOrganization / 4
const mostOfNode = 1_000
const retryAfterSec = 10

export class Watch {
  readonly #sql: Reader
  readonly #log: Log
  /** Maximum watchers of one credential from one address. */
  readonly #perHolder: number
  readonly #watchers = new Set<Watcher>()
  readonly #looks = new Groups<Watcher, void>((watchers) => this.#look(watchers))
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
  async start(watcher: Watcher): Promise<void> {
    if (this.#closed) throw new Fault('SERVICE_UNAVAILABLE', 'The service is stopping.')
    this.#assertRoom(watcher)
    this.#watchers.add(watcher)
    this.#timer ??= setInterval(() => void this.#lookForAll(), lookEveryMs).unref()
    try {
      await this.#looks.add(watcher)
    } catch (error) {
      this.stop(watcher)
      throw error
    }
  }

  stop(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    if (this.#watchers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends all watchers, and takes no others. */
  close(): void {
    this.#closed = true
    for (const watcher of this.#watchers) watcher.end()
  }

  #assertRoom({ subject: { orgId }, holder: { credential, address } }: Watcher): void {
    const ofOrganization = [...this.#watchers].filter(({ subject }) => subject.orgId === orgId)
    const ofCredential = ofOrganization.filter(({ holder }) => holder.credential === credential)
    const ofHolder = ofCredential.filter(({ holder }) => holder.address === address)
    const hasRoom = this.#watchers.size < mostOfNode && ofOrganization.length < mostOfOrganization
    if (hasRoom && ofCredential.length < mostOfCredential && ofHolder.length < this.#perHolder) return
    throw new Fault('RATE_LIMITED', 'Too many streams of events are open: close some, or wait until others do.', {
      'retry-after': String(retryAfterSec),
    })
  }

  async #lookForAll(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      await Promise.all([...this.#watchers].map((watcher) => this.#looks.add(watcher)))
      this.#isBlind = false
    } catch (error) {
      if (!this.#isBlind) this.#log.warn('new revisions cannot be looked for', { reason: reasonOf(error) })
      this.#isBlind = true
    } finally {
      this.#looking = false
    }
  }

  async #look(group: readonly Watcher[]): Promise<void[]> {
    const watchers = [...new Set(group)]
    const rows = await headsOf(this.#sql, [...new Set(watchers.map(({ subject }) => subject.projectId))])
    const heads = Map.groupBy(rows, (row) => row.project_id)
    const known = new Map<string, Promise<News[]>>()
    const newsSince = (head: HeadRow, after: number): Promise<News[]> => {
      const key = `${head.stage_id} ${after}`
      const news = known.get(key) ?? newsOf(this.#sql, head, after)
      known.set(key, news)
      return news
    }
    return Promise.all(watchers.map((watcher) => tell(watcher, heads.get(watcher.subject.projectId) ?? [], newsSince)))
  }
}

async function tell(
  watcher: Watcher,
  heads: readonly HeadRow[],
  newsSince: (head: HeadRow, after: number) => Promise<News[]>,
): Promise<void> {
  const { includes, since } = watcher.subject
  const own = heads
    .filter((head) => includes(head.stage_slug))
    .toSorted((a, b) => compareCodePoints(a.stage_slug, b.stage_slug))
  const seen = (watcher.seen ??= startOf(own, since))
  for (const head of own) {
    const after = seen.get(head.stage_slug) ?? 0
    if (after === head.revision) continue
    for (const news of await newsSince(head, after)) {
      seen.set(news.stageSlug, news.revision)
      watcher.tell(news)
    }
  }
}

/** A stage that the watcher does not name is one that it has not seen. */
function startOf(heads: readonly HeadRow[], since: Seen | undefined): Seen {
  return new Map(
    heads.map(({ stage_slug: slug, revision }) => [slug, since === undefined ? revision : (since.get(slug) ?? 0)]),
  )
}
