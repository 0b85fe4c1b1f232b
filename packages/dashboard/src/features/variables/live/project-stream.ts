/** What becomes of the stages of a project: a stream of events, opened again whenever it ends. */
import type { Response as Answer } from '@rollkey/contract'
import { backOffMs } from '../../../service/back-off.ts'
import { Patience, pause } from '../../../service/patience.ts'
import { accessToken, forgetAccessTokens } from '../../../session/access-token.ts'
import { open } from '../../../service/api.ts'
import { Problem } from '../../../service/problem.ts'
import { readEvents, type ServerEvent } from '../../../service/server-events.ts'
import type { Scope } from '../../../session/scope.ts'

/** A new revision of a stage; without names, the whole stage is to be read anew. */
export type News = Answer<'events'>

export interface Listener {
  /** What came at once. */
  readonly onNews: (news: readonly News[]) => void
  readonly onConnected: (isConnected: boolean) => void
}

/** The service says something every 15 seconds: after twice that, the connection is dead. */
const silenceMs = 35_000
/** A stream that lasted so long did not fail, but ended: with its token, or with the service. */
const steadyMs = 5_000

export class ProjectStream {
  readonly #scope: Scope
  readonly #projectSlug: string
  #seen: string

  /** `seen`: the revisions of the stages after which there is news, such as `dev:12,prod:7`. */
  constructor(scope: Scope, projectSlug: string, seen: string) {
    this.#scope = scope
    this.#projectSlug = projectSlug
    this.#seen = seen
  }

  /** Follows until the signal aborts, and later on from there. Throws a Problem that does not pass by waiting. */
  async follow(listener: Listener, signal: AbortSignal): Promise<void> {
    let failures = 0
    let wasRefused = false
    let waitMs = 0
    while (!signal.aborted) {
      listener.onConnected(false)
      await pause(waitMs, signal)
      const startedAt = performance.now()
      const problem = await this.#listen(listener, signal)
      if (signal.aborted) return
      // A token may be over earlier than this clock has it; a new one is not.
      const isRefused = problem?.status === 401
      if (problem && (isRefused ? wasRefused : !passes(problem))) throw problem
      if (isRefused) forgetAccessTokens()
      wasRefused = isRefused
      failures = performance.now() - startedAt > steadyMs ? 0 : failures + 1
      waitMs = Math.max(backOffMs(failures, Math.random()), (problem?.retryAfterSec ?? 0) * 1_000)
    }
  }

  /** One stream to its end: undefined if there was one, else why there was none. */
  async #listen(listener: Listener, signal: AbortSignal): Promise<Problem | undefined> {
    const patience = new Patience(silenceMs)
    try {
      const body = await this.#open(AbortSignal.any([signal, patience.signal]))
      listener.onConnected(true)
      for await (const events of readEvents(body)) {
        patience.renew()
        const news = this.#newsOf(events)
        if (news.length > 0) listener.onNews(news)
      }
    } catch (error) {
      if (error instanceof Problem) return error
    } finally {
      patience.stop()
    }
    return undefined
  }

  async #open(signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const query = { orgSlug: this.#scope.orgSlug, projectSlug: this.#projectSlug, since: this.#seen }
    return open('/v1/events', query, await accessToken(this.#scope), signal)
  }

  #newsOf(events: readonly ServerEvent[]): News[] {
    // Whether more than the token is over, the next request is told.
    if (events.some(({ type }) => type === 'end')) forgetAccessTokens()
    const told = events.filter(({ type }) => type === 'revision' || type === 'reset')
    this.#seen = told.at(-1)?.id ?? this.#seen
    return told.map(({ data }) => JSON.parse(data) as News)
  }
}

/** Whether the same request may succeed later: there was no answer, or one of a service that has to do with itself. */
function passes({ status }: Problem): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500
}
