/**
 * Takes every request to the API through the same checks, in the order of docs/api.md: request id → route and method →
 * authentication → rate limit → body → schema → organization and token scope. Then the endpoint's handler runs.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  endpoints,
  isScoped,
  type Endpoint,
  type EndpointName,
  type ErrorCode,
  type Request,
  type Response,
} from '@rollkey/contract'
import type { Refusals } from '../audit/refusals.ts'
import { RemovedMember, type AcceptedCredentials, type Authentication, type Caller } from '../auth/authenticate.ts'
import { ReadSet, StaleRead, type ReadValidator } from '../consistency/read-set.ts'
import { FairQueue, type ReleaseTurn } from '../concurrency/fair-queue.ts'
import { ApiError, KmsUnavailable, StoreUnavailable } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { largeBytes } from '../concurrency/time-slices.ts'
import { assertInScope, type ScopeTarget } from '../sessions/token-scope.ts'
import type { Session } from '../sessions/sessions.ts'
import { parseJson, readBody } from './body.ts'
import type { Cors } from './cors.ts'
import { actorOf } from '../auth/actor.ts'
import { EventStream } from './event-stream.ts'
import type { PendingBodies } from './limits/pending-bodies.ts'
import type { RateLimitSubject, RateLimits } from './limits/rate-limits.ts'
import { Reply, send, sendError, type Envelope, type Headers, type JsonText } from './reply.ts'
import { isRequestKey, requestIdOf } from './request-id.ts'
import { unknownBytes, type UnreadAnswer, type UnreadAnswers } from './limits/unread-answers.ts'
import { validate } from './validation.ts'

type AuthOf<Name extends EndpointName> = (typeof endpoints)[Name]['auth']

/** The input of a handler. Everything that the contract can check has been checked. */
interface Call<Name extends EndpointName> {
  readonly body: Request<Name>
  readonly caller: AuthOf<Name> extends 'none' ? undefined
    : AuthOf<Name> extends 'session' ? Caller & { readonly session: Session }
    : Caller // prettier-ignore
  /** The billing idempotency key. Only metered endpoints have one. */
  readonly requestKey: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly lastEventId: string | string[] | undefined
  readonly requestId: string
  /** The rate limit key of the request: the caller or, at endpoints without authentication, the address. */
  readonly holder: string
  /** The read set to which the endpoint adds everything that it reads from memory. */
  readonly reads: ReadSet
  /**
   * Reserves memory for an answer whose values have this number of stored bytes. Called before the answer is made and billed.
   * Throws RATE_LIMITED.
   */
  readonly reserve: (bytes: number) => Promise<void> | undefined
}

type AnswerOf<Name extends EndpointName> = Name extends 'events' ? EventStream : Response<Name> | JsonText | Reply

/** The work of an endpoint. It throws an ApiError to answer with an error. */
export type Handler<Name extends EndpointName> = (call: Call<Name>) => Promise<AnswerOf<Name>> | AnswerOf<Name>

export type Handlers = { readonly [Name in EndpointName]: Handler<Name> }

type AnyHandler = (call: object) => Promise<object> | object

interface Route {
  readonly name: EndpointName
  readonly endpoint: Endpoint
  readonly handler: AnyHandler
  readonly isScoped: boolean
  /** Whether the endpoint has no effect except metering. Its read set may then be validated after its work. */
  readonly isRead: boolean
}

/** Receives every answer. */
export interface Observer {
  answered(endpoint: string, status: number, milliseconds: number): void
}

export interface FunnelParts {
  readonly handlers: Handlers
  readonly authentication: Authentication
  readonly validator: ReadValidator
  readonly rateLimits: RateLimits
  readonly pendingBodies: PendingBodies
  readonly unreadAnswers: UnreadAnswers
  readonly cors: Cors
  readonly observer: Observer
  readonly refusals: Pick<Refusals, 'add'>
  readonly log: Log
}

/** The stages that the body or query of a scoped request names: one, or a source and a target. */
interface RequestScope extends ScopeTarget {
  readonly orgSlug: string
  readonly from?: ScopeTarget
  readonly to?: ScopeTarget
}

/** A request that is being answered. */
interface Exchange extends Envelope, RateLimitSubject {
  common: Headers
  readonly startedAt: number
  /** The rate limit key of the request, once it is known: its caller or its address. */
  holder: string
  unread: UnreadAnswer | undefined
  /** Ends the turn of a request that does expensive work. Set while it has that turn. */
  endTurn: ReleaseTurn | undefined
}

/** A request with the state that survives a restart after a stale read. */
interface Visit {
  readonly route: Route
  readonly exchange: Exchange
  readonly query: string
  readonly reads: ReadSet
  isCounted: boolean
  /** The fields of the query, or the parsed body. Kept because a body can be read only once. */
  input: Promise<unknown> | undefined
  /** The caller, once authentication has succeeded. */
  caller: Caller | undefined
}

const unknownEndpoint = 'unknown'
const waitingOfHolder = 50
const kmsUnavailableMessage =
  'The key management service, which unwraps the data key, is unavailable, and the request was not processed: try again later.'

export class Funnel {
  readonly #parts: FunnelParts
  readonly #routes = new Map<string, Route>()
  readonly #heavy = new FairQueue(waitingOfHolder)

  constructor(parts: FunnelParts) {
    this.#parts = parts
    for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
      this.#routes.set(endpoint.path, {
        name,
        endpoint,
        handler: parts.handlers[name] as AnyHandler,
        isScoped: isScoped(endpoint),
        isRead: endpoint.method === 'GET' || (endpoint.auth === 'caller' && !endpoint.changes),
      })
    }
  }

  /** Answers the request; never throws. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange: Exchange = {
      request,
      response,
      requestId: requestIdOf(request.headers['x-request-id']),
      common: this.#parts.cors.headersFor(request.headers.origin),
      hasTried: false,
      startedAt: performance.now(),
      holder: '',
      unread: undefined,
      endTurn: undefined,
    }
    const [path, query] = splitUrl(request.url ?? '')
    const route = this.#routes.get(path)
    try {
      if (!route) throw new ApiError('NOT_FOUND')
      const answer = await this.#answer(route, exchange, query)
      const sending = answer instanceof EventStream ? this.#openStream(answer, exchange, route) : send(exchange, answer)
      if (sending) await sending
    } catch (error) {
      this.#fail(exchange, route, error)
    }
    exchange.unread?.settle(response)
    exchange.endTurn?.()
    this.#observe(exchange, route)
  }

  #openStream(stream: EventStream, exchange: Exchange, route: Route): Promise<void> {
    const holder = { credential: exchange.holder, address: this.#parts.rateLimits.networkOf(exchange) }
    return stream.open(exchange, holder, () => this.#confirmCaller(route, exchange.request))
  }

  async #answer(route: Route, exchange: Exchange, query: string): Promise<object> {
    if (exchange.request.method === 'OPTIONS') return new Reply(204, this.#parts.cors.preflight)
    assertMethod(exchange.request, route.endpoint)
    const reads = new ReadSet(this.#parts.validator.logicalClock.now)
    const visit: Visit = { route, exchange, query, reads, isCounted: false, input: undefined, caller: undefined }
    try {
      return await this.#confirmed(reads, () => this.#attempt(visit))
    } catch (error) {
      if (error instanceof ApiError) this.#noteRefusal(visit, error)
      throw error
    }
  }

  /** Records a refusal for the audit log. Refusals of unidentified callers appear only in metrics. */
  #noteRefusal({ caller, exchange: { requestId }, route }: Visit, apiError: ApiError): void {
    const by = apiError instanceof RemovedMember ? apiError.caller : caller
    if (by) this.#parts.refusals.add(actorOf(by, requestId), route.name, apiError.code)
  }

  /** Authenticates the caller again. Throws the error that a new request would get. */
  async #confirmCaller({ endpoint: { auth } }: Route, { headers }: IncomingMessage): Promise<void> {
    const { authentication, validator } = this.#parts
    const reads = new ReadSet(validator.logicalClock.now)
    if (auth !== 'none') await this.#confirmed(reads, () => authentication.caller(headers.authorization, auth, reads))
  }

  /** Repeats the work until its read set is validated. */
  async #confirmed<T>(reads: ReadSet, work: () => Promise<T>): Promise<T> {
    const { validator } = this.#parts
    for (;;) {
      try {
        const answer = await work()
        if (reads.isValidated || (await validator.validate(reads))) return answer
      } catch (error) {
        if (error instanceof StaleRead) continue
        // A refusal is also based on reads from memory, which must be current.
        if (!(error instanceof ApiError) || reads.isValidated || (await validator.validate(reads))) throw error
      }
    }
  }

  async #attempt(visit: Visit): Promise<object> {
    const { route, reads } = visit
    const { request, requestId } = visit.exchange
    const { endpoint } = route
    const caller = endpoint.auth === 'none' ? undefined : await this.#callerOf(visit, endpoint.auth)
    visit.caller = caller
    if (!visit.isCounted) this.#count(visit, caller)
    visit.input ??= endpoint.method === 'GET' ? queryOf(visit.query) : this.#bodyOf(visit)
    const body = validate(endpoint.request, await visit.input)
    const requestKey = endpoint.metered ? requestKeyOf(request) : undefined
    if (caller && route.isScoped) assertScope(caller, body as RequestScope, endpoint)
    if (caller && endpoint.auth === 'person') this.#parts.authentication.assertPerson(caller)
    if (caller && endpoint.auth === 'admin') await this.#parts.authentication.assertAdmin(caller, reads)
    if (!route.isRead && !reads.isValidated && !(await this.#parts.validator.validate(reads))) throw new StaleRead()
    const { 'if-none-match': ifNoneMatch, 'last-event-id': lastEventId } = request.headers
    const { holder } = visit.exchange
    const reserve = (bytes: number): Promise<void> | undefined => this.#reserve(visit.exchange, bytes)
    if (endpoint.expensive) await this.#takeTurn(visit.exchange)
    return route.handler({ body, caller, requestKey, ifNoneMatch, lastEventId, requestId, holder, reads, reserve })
  }

  /** Reserves memory for an answer. Returns a promise for a large answer, which waits for its turn. Throws RATE_LIMITED. */
  #reserve(exchange: Exchange, bytes: number): Promise<void> | undefined {
    exchange.unread?.reserve(bytes)
    return bytes > largeBytes ? this.#takeTurn(exchange) : undefined
  }

  /** Waits for the request's turn to do expensive work. The turn ends when the request is answered. Throws RATE_LIMITED. */
  async #takeTurn(exchange: Exchange): Promise<void> {
    exchange.endTurn ??= await this.#heavy.begin(exchange.holder)
  }

  async #bodyOf({ exchange: { request, response }, route: { endpoint } }: Visit): Promise<unknown> {
    return parseJson(await readBody(request, endpoint.bodyBytes, this.#parts.pendingBodies.of(request, response)))
  }

  #callerOf({ exchange, reads }: Visit, auth: AcceptedCredentials): Promise<Caller> {
    const { authentication, rateLimits } = this.#parts
    const { authorization } = exchange.request.headers
    return authentication.caller(authorization, auth, reads, () => rateLimits.assertMayTry(exchange))
  }

  /** Counts the request against its rate limit and its unread answers. Throws RATE_LIMITED. */
  #count(visit: Visit, caller: Caller | undefined): void {
    visit.isCounted = true
    const { exchange, route, reads } = visit
    try {
      const refusal = this.#parts.rateLimits.count(route.name, exchange, caller)
      if (refusal) throw refusal
      exchange.holder = this.#parts.rateLimits.holderOf(exchange, caller)
      exchange.unread = this.#parts.unreadAnswers.of(exchange.holder)
      exchange.unread.reserve(route.isRead && !route.endpoint.metered ? unknownBytes : 0)
    } catch (error) {
      // The refusal discloses nothing, so a query that confirms the caller is not worth its cost.
      reads.markValidated()
      throw error
    }
  }

  #fail(exchange: Exchange, route: Route | undefined, error: unknown): void {
    const apiError = this.#faultOf(route, exchange.requestId, error)
    if (apiError.code === 'UNAUTHORIZED') this.#parts.rateLimits.countUnknown(exchange)
    if (exchange.response.headersSent) exchange.response.destroy()
    else sendError(exchange, apiError)
  }

  #faultOf(route: Route | undefined, requestId: string, error: unknown): ApiError {
    if (error instanceof ApiError) return error
    const unavailable = whatIsUnavailable(error)
    const code: ErrorCode = unavailable ? codeOfUnavailable(route) : 'INTERNAL'
    this.#parts.log.error(unavailable ? `${unavailable} is unavailable` : 'request failed', {
      requestId,
      endpoint: route?.name ?? unknownEndpoint,
      code,
      reason: reasonOf(error),
    })
    return error instanceof KmsUnavailable ? new ApiError(code, kmsUnavailableMessage) : new ApiError(code)
  }

  #observe({ request, response, requestId, startedAt }: Exchange, route: Route | undefined): void {
    const durationMs = performance.now() - startedAt
    const endpoint = route?.name ?? unknownEndpoint
    this.#parts.observer.answered(endpoint, response.statusCode, durationMs)
    this.#parts.log.debug('answered', {
      requestId,
      endpoint,
      method: request.method ?? '',
      status: response.statusCode,
      durationMs,
    })
  }
}

function whatIsUnavailable(error: unknown): string | undefined {
  if (error instanceof StoreUnavailable) return 'the store'
  return error instanceof KmsUnavailable ? 'the KMS' : undefined
}

/** Returns the code for a store or KMS that is unavailable. Metered endpoints answer BILLING_UNAVAILABLE (docs/api.md). */
function codeOfUnavailable(route: Route | undefined): ErrorCode {
  return route?.endpoint.errors.includes('BILLING_UNAVAILABLE') ? 'BILLING_UNAVAILABLE' : 'SERVICE_UNAVAILABLE'
}

function splitUrl(url: string): [path: string, query: string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

function assertMethod({ method }: IncomingMessage, endpoint: Endpoint): void {
  if (method === endpoint.method || (method === 'HEAD' && endpoint.method === 'GET')) return
  throw new ApiError('METHOD_NOT_ALLOWED', undefined, { allow: `${endpoint.method}, OPTIONS` })
}

/**
 * Parses a query. A repeated field becomes an array, which the schema refuses because it expects a string. An invalid percent
 * escape becomes U+FFFD.
 */
async function queryOf(query: string): Promise<Record<string, unknown>> {
  const fields = Object.create(null) as Record<string, unknown>
  const params = new URLSearchParams(query)
  for (const name of params.keys()) {
    const all = params.getAll(name)
    fields[name] = all.length === 1 ? all[0] : all
  }
  return { ...fields }
}

/** Asserts that the caller may use the stages that the request names. Throws INVALID_ORG_SCOPE or FORBIDDEN. */
function assertScope({ orgSlug, session }: Caller, scope: RequestScope, { auth, ...access }: Endpoint): void {
  if (scope.orgSlug !== orgSlug) throw new ApiError('INVALID_ORG_SCOPE')
  if (!session?.scope || auth !== 'caller') return
  for (const target of [scope, scope.from, scope.to]) {
    if (target) assertInScope(session.scope, target, access)
  }
}

function requestKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-service-request-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && isRequestKey(key)) return key
  throw new ApiError('INVALID_REQUEST', 'x-service-request-key must be 1 to 255 visible ASCII characters, sent once.')
}
