/**
 * Typed calls of the API and the events of a project, without the cache and the stage of a client. It is small enough for the
 * first page of a web application.
 */
import { Connection, type ConnectionOptions } from './connection.ts'
import { ProjectEvents, type EventListener } from './live/project-events.ts'
import type { Answer, OperationName, Request } from './wire.ts'

export { RollkeyError, type RollkeyErrorCode, type RollkeyErrorDetails } from './errors.ts'
export type { ChangeEvent, EventListener } from './live/project-events.ts'
export type { RetryOptions, TokenSource } from './types.ts'
export type { Fetch, FetchInit, FetchReply } from './transport.ts'
export type * from './wire.ts'

/** Options of `createApi`: those of `createClient` that concern the connection. */
export interface ApiOptions extends ConnectionOptions {}

/**
 * The API, one method for all its operations.
 *
 * @example
 * import { createApi } from '@rollkey/sdk/core'
 *
 * const api = createApi({ url: 'https://rollkey.example.com', token: process.env.ROLLKEY_TOKEN ?? '' })
 * const { projects } = await api.call('projects', { orgSlug: 'acme' })
 */
export interface Api {
  /**
   * Calls an operation.
   *
   * @throws {RollkeyError} Any code that the operation has at `/openapi.json`, `UNREACHABLE`, `INVALID_ANSWER`,
   * `INVALID_SETTING`, or `CLOSED` if the signal was aborted or the API closed. Any error of the token source.
   */
  call<Name extends OperationName>(
    name: Name,
    request: Request<Name>,
    options?: {
      /** Cancels the call. @default none */
      readonly signal?: AbortSignal | undefined
    },
  ): Promise<Answer<Name>>
  /** Returns the events of a project after `since`, the cursor of an earlier feed or revisions such as `dev:12,prod:7`, or from now on. Never throws. */
  events(request: Request<'events'>): EventFeed
  /** Aborts the calls in progress. Later calls fail with `CLOSED`. Never throws. */
  close(): void
}

/**
 * The events of a project.
 *
 * @example
 * import { createApi } from '@rollkey/sdk/core'
 *
 * const api = createApi({ url: 'https://rollkey.example.com', token: process.env.ROLLKEY_TOKEN ?? '' })
 * const feed = api.events({ orgSlug: 'acme', projectSlug: 'shop' })
 * const ending = new AbortController()
 * await feed.follow(
 *   {
 *     onEvents: (events) => console.log(events.flatMap(({ names = [] }) => names)),
 *     onReset: () => console.log('any stage may have changed'),
 *     onConnected: (isConnected) => console.log(isConnected ? 'live' : 'reconnecting'),
 *   },
 *   ending.signal,
 * )
 */
export interface EventFeed {
  /**
   * Follows the events until the signal aborts. Opens the stream again each time it ends, is silent for 35 seconds or fails,
   * and waits longer after each failure, or as long as the service asks. A later call continues where this one ended.
   *
   * @throws {RollkeyError} `UNAUTHORIZED`, `FORBIDDEN`, `NOT_FOUND` or any other code that does not pass by waiting. Any error
   * that the listener throws.
   */
  follow(listener: EventListener, signal: AbortSignal): Promise<void>
}

/**
 * Connects to the API. It sends no request before the first call.
 *
 * @throws {RollkeyError} `INVALID_SETTING` if the URL is malformed, or if it is plain http to another machine without
 * `allowHttp`.
 * @example
 * import { createApi } from '@rollkey/sdk/core'
 *
 * const { provider } = await createApi({ url: 'https://rollkey.example.com' }).call('webSettings', {})
 */
export function createApi(options: ApiOptions): Api {
  const connection = new Connection(options)
  return {
    call: (name, request, { signal } = {}) => connection.call(name, request, { signal }),
    events: (request) => new ProjectEvents(connection, request),
    close: () => connection.close(),
  }
}
