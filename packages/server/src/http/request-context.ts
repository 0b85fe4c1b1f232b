import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EndpointName, Request, endpoints } from '@rollkey/contract'
import type { Permissions } from '../access/permissions.ts'
import { actorOf, usageEventOf, type Actor } from '../auth/actor.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { FairQueue, ReleaseTurn } from '../concurrency/fair-queue.ts'
import { lightWork, requests } from '../concurrency/light-work.ts'
import { largeBytes } from '../concurrency/time-slices.ts'
import { ReadSet } from '../consistency/read-set.ts'
import type { EvaluationRequest } from '../evaluation/evaluate.ts'
import type { UsageEvent } from '../metering/meter.ts'
import type { Session } from '../sessions/sessions.ts'
import type { RateLimitSubject } from './limits/rate-limits.ts'
import type { UnreadAnswer } from './limits/unread-answers.ts'
import type { Envelope, Headers } from './reply.ts'
import { requestIdOf } from './request-id.ts'
import { traceIdOf } from '../tracing/trace-context.ts'

type AuthOf<Name extends EndpointName> = (typeof endpoints)[Name]['auth']

/** The caller of an endpoint, as its row in the contract requires. */
type CallerOf<Name extends EndpointName> = Name extends EndpointName
  ? AuthOf<Name> extends 'none' ? undefined
    : AuthOf<Name> extends 'session' ? Caller & { readonly session: Session }
    : Caller
  : never // prettier-ignore

/** The client has closed its connection before its answer was made. */
export class ClientGone extends Error {}

/**
 * A request from its arrival to its answer. Each step of the funnel adds what it establishes, so a handler finds everything that
 * the contract can check.
 */
export class RequestContext<Name extends EndpointName = EndpointName>
  implements Envelope, RateLimitSubject, EvaluationRequest
{
  readonly request: IncomingMessage
  #response: ServerResponse | undefined
  readonly requestId: string
  /** The URL after its question mark. */
  readonly query: string
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly startedAt = performance.now()
  /** Everything that the request reads from memory. It survives a restart after a stale read, as do all other fields. */
  reads: ReadSet
  readonly #fairQueue: FairQueue
  #endTurn: ReleaseTurn | undefined
  #isLight = false
  common: Headers
  caller!: CallerOf<Name>
  /** What the caller may do. Endpoints that need no verb have none. */
  permissions!: Permissions
  /** Whether the service has looked up the credential. */
  hasTriedCredential = false
  /** Whether the request counts against its rate limit. */
  isCounted = false
  /** Whether the variables that it carries count too. */
  hasCountedNames = false
  /** The rate limit key: the caller or, at endpoints without authentication, the address. */
  clientKey = ''
  unread: UnreadAnswer | undefined
  /** The fields of the query, or the parsed body. A promise, because a body can be read only once. */
  input: Promise<unknown> | undefined
  /** The validated input. */
  body!: Request<Name>
  /** The billing idempotency key. Only metered endpoints have one. */
  requestKey: string | undefined

  /** Begins a request, which `release` ends. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    parts: {
      query: string
      params: Readonly<Record<string, string>>
      arrivedAt: number
      common: Headers
      fairQueue: FairQueue
    },
  ) {
    this.request = request
    this.#response = response
    this.requestId = requestIdOf(request.headers['x-request-id'])
    this.query = parts.query
    this.params = parts.params
    this.reads = new ReadSet(parts.arrivedAt)
    this.#fairQueue = parts.fairQueue
    this.common = parts.common
    requests.begin()
  }

  /** The id of the caller's trace, for the log. */
  get traceId(): string | undefined {
    return traceIdOf(this.request.headers['traceparent'])
  }

  /** The answer. Must not be used after `becomeStream`. */
  get response(): ServerResponse {
    if (this.#response) return this.#response
    throw new Error('the answer has become a stream')
  }

  /** The caller as the author of a change. */
  get actor(): Actor {
    return actorOf(this.caller as Caller, this.requestId)
  }

  /** The caller as the source of a usage event. */
  get usage(): UsageEvent {
    return usageEventOf(this.caller as Caller, this.requestKey)
  }

  /**
   * Reserves memory for an answer whose values have this number of stored bytes. Must be called before the answer is made and
   * billed. Returns a promise for a large answer, which waits for its turn. Throws RATE_LIMITED.
   */
  reserve(bytes: number): Promise<void> | undefined {
    this.unread?.reserve(bytes)
    return bytes > largeBytes ? this.takeTurn() : undefined
  }

  /** Lets heavy work rest beside the request, until it is answered or proves to be heavy too. */
  beginLightWork(): void {
    this.#isLight = true
    lightWork.begin()
  }

  /** Waits for the turn to do expensive work, which ends when the request is answered. Throws RATE_LIMITED and ClientGone. */
  async takeTurn(): Promise<void> {
    if (this.#isLight) lightWork.cancel()
    this.#isLight = false
    this.#endTurn ??= await this.#fairQueue.begin(this.clientKey)
    if (this.response.destroyed) throw new ClientGone()
  }

  /** Forgets what only the answer needed. A stream of events may last for days, and only checks its credential again. */
  becomeStream(): void {
    const { authorization } = this.request.headers
    this.request.headers = authorization === undefined ? {} : { authorization }
    this.request.rawHeaders = []
    this.common = []
    this.#response = undefined
  }

  /** Releases the turn and the memory of the request. Must be called after its answer is written. */
  release(): void {
    this.unread?.settle(this.response)
    this.#endTurn?.()
    requests.end()
    if (this.#isLight) lightWork.end()
    this.#isLight = false
  }
}
