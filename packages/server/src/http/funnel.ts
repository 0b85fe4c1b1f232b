/**
 * Takes every request to the API through the same steps, in the order of docs/api.md: route → method → authentication → rate
 * limit → body → schema → organization and token scope → handler (`steps/index.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { endpoints, type Endpoint, type EndpointName, type ErrorCode } from '@rollkey/contract'
import type { Refusals } from '../audit/refusals.ts'
import { actorOf } from '../auth/actor.ts'
import { RemovedMember } from '../auth/authenticate.ts'
import { FairQueue } from '../concurrency/fair-queue.ts'
import { ApiError, KmsUnavailable, StoreUnavailable } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { ReadSet } from '../consistency/read-set.ts'
import { retryUntilFresh } from '../consistency/read-validator.ts'
import { EventStream } from './event-stream.ts'
import { handlers } from './endpoints/index.ts'
import type { Handler } from './handler.ts'
import { apiDialect, type DialectRoute } from './dialect.ts'
import { ClientGone, RequestContext } from './request-context.ts'
import { allow } from './steps/allow.ts'
import { byAuthorization } from './steps/authenticate.ts'
import { stepsOf, type StepServices } from './steps/index.ts'
import type { Services } from './services.ts'
import type { Step } from './steps/step.ts'

type Route = Omit<DialectRoute, 'path' | 'name'> & { readonly name: EndpointName | DialectRoute['name'] }

/** Receives every answer. `orgId`: the organization of the caller, if it is known. */
export interface Observer {
  answered(endpoint: string, status: number, milliseconds: number, orgId?: string): void
}

export interface FunnelParts extends StepServices {
  /** What the handlers call. */
  readonly services: Services
  /** Paths outside `/v1`. */
  readonly dialects: readonly DialectRoute[]
  readonly observer: Observer
  readonly refusals: Pick<Refusals, 'add'>
  readonly log: Log
}

const unknownEndpoint = 'unknown'
const noParams: Readonly<Record<string, string>> = {}
const maxWaitingTurns = 50
/** What the metrics show of a request whose client has left. It is nginx's status of the same name, which no client receives. */
const clientGoneStatus = 499
const kmsUnavailableMessage =
  'The key management service, which unwraps the data key, is unavailable, and the request was not processed: try again later.'

export class Funnel {
  readonly #parts: FunnelParts
  readonly #routes = new Map<string, Route>()
  readonly #patterns: [RegExp, Route][] = []
  readonly #fairQueue = new FairQueue({ maxWaiting: maxWaitingTurns })

  constructor(parts: FunnelParts) {
    this.#parts = parts
    for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
      const handler = handlers[name] as Handler<EndpointName>
      const handle: Step = (context) => handler(parts.services, context)
      const steps = [...stepsOf(name, endpoint, parts), handle]
      const { auth } = endpoint
      const identify = auth === 'none' ? {} : { identify: byAuthorization(auth, parts.authentication) }
      this.#routes.set(endpoint.path, { name, endpoint, steps, dialect: apiDialect, ...identify })
    }
    for (const route of parts.dialects) {
      if (typeof route.path === 'string') this.#routes.set(route.path, route)
      else this.#patterns.push([route.path, route])
    }
  }

  /** Answers the request; never throws. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query] = splitUrl(request.url ?? '')
    const [route, params] = this.#routeOf(path, request.method)
    const { validator, cors } = this.#parts
    const arrivedAt = validator.logicalClock.now
    const common = cors.headersFor(request.headers.origin)
    const context = new RequestContext(request, response, {
      query,
      params,
      arrivedAt,
      common,
      fairQueue: this.#fairQueue,
    })
    if (isLight(route)) context.beginLightWork()
    try {
      if (!route) throw new ApiError('NOT_FOUND')
      const answer = await retryUntilFresh(validator, () => run(route.steps, context), context.reads)
      if (answer instanceof EventStream) {
        await this.#openStream(answer, context, route)
        return
      }
      const sending = route.dialect.send(context, answer)
      if (sending) await sending
    } catch (error) {
      this.#fail(context, route, error)
    }
    this.#finish(context, route)
  }

  #finish(context: RequestContext, route: Route | undefined): void {
    context.release()
    this.#observe(context, route)
  }

  #routeOf(path: string, method = ''): [route: Route | undefined, params: Readonly<Record<string, string>>] {
    const route = this.#routes.get(path)
    if (route) return [route, noParams]
    for (const [pattern, found] of this.#patterns) {
      if (found.methods && !found.methods.includes(method)) continue
      const match = pattern.exec(path)
      if (match) return [found, match.groups ?? noParams]
    }
    return [undefined, noParams]
  }

  /** Begins a stream. Throws what prevents that. */
  async #openStream(stream: EventStream, context: RequestContext, route: Route): Promise<void> {
    const origin = { credential: context.clientKey, address: this.#parts.rateLimits.networkOf(context) }
    await stream.open(context, origin, () => this.#confirmCaller(route, context))
    this.#finish(context, route)
    context.becomeStream()
  }

  /** Authenticates the caller and sets what they may do again. Throws the error that a new request would get. */
  async #confirmCaller({ endpoint, identify }: Route, context: RequestContext): Promise<void> {
    if (!identify) return
    const { authentication, access, validator } = this.#parts
    context.reads = new ReadSet(validator.logicalClock.now)
    const confirm = async (): Promise<void> => {
      const caller = await identify(context)
      context.caller = caller
      await access.assertAdmitted(caller, context.reads)
      if (endpoint.verb !== 'none') await allow(endpoint, access, authentication)(context)
    }
    await retryUntilFresh(validator, confirm, context.reads)
  }

  /** Records a refusal for the audit log. Refusals of unidentified callers appear only in metrics. */
  #recordRefusal({ name }: Route, { caller, requestId }: RequestContext, apiError: ApiError): void {
    const by = apiError instanceof RemovedMember ? apiError.caller : caller
    if (by) this.#parts.refusals.add(actorOf(by, requestId), name, apiError.code)
  }

  #fail(context: RequestContext, route: Route | undefined, error: unknown): void {
    if (error instanceof ClientGone) {
      context.response.statusCode = clientGoneStatus
      return
    }
    if (route && error instanceof ApiError) this.#recordRefusal(route, context, error)
    const apiError = error instanceof ApiError ? error : this.#failureOf(context, route, error)
    if (apiError.code === 'UNAUTHORIZED') this.#parts.rateLimits.countUnknown(context)
    if (context.response.headersSent) context.response.destroy()
    else (route?.dialect ?? apiDialect).sendError(context, apiError)
  }

  /** Logs an unexpected error and returns the error for the client. */
  #failureOf({ requestId, traceId }: RequestContext, route: Route | undefined, error: unknown): ApiError {
    const unavailable = unavailablePart(error)
    const code: ErrorCode = unavailable ? codeOfUnavailable(route) : 'INTERNAL'
    this.#parts.log.error(unavailable ? `${unavailable} is unavailable` : 'request failed', {
      requestId,
      traceId,
      endpoint: route?.name ?? unknownEndpoint,
      code,
      reason: reasonOf(error),
    })
    return error instanceof KmsUnavailable ? new ApiError(code, kmsUnavailableMessage) : new ApiError(code)
  }

  #observe(context: RequestContext, route: Route | undefined): void {
    const { request, response, requestId, traceId, startedAt } = context
    const durationMs = performance.now() - startedAt
    const endpoint = route?.name ?? unknownEndpoint
    const { statusCode: status } = response
    this.#parts.observer.answered(endpoint, status, durationMs, context.caller?.orgId)
    const { method = '' } = request
    this.#parts.log.debug('answered', { requestId, traceId, endpoint, method, status, durationMs })
  }
}

/** Takes the request through the steps from index `from` on. Returns the first answer, as a promise once a step returns one. */
function run(steps: readonly Step[], context: RequestContext, from = 0): object | Promise<object> {
  for (let at = from; at < steps.length; at++) {
    const result = steps[at]?.(context)
    if (result instanceof Promise) return result.then((answer) => answer ?? run(steps, context, at + 1))
    if (result) return result
  }
  throw new Error('no step has answered')
}

function unavailablePart(error: unknown): string | undefined {
  if (error instanceof StoreUnavailable) return 'the store'
  return error instanceof KmsUnavailable ? 'the KMS' : undefined
}

/** Returns the code for a store or KMS that is unavailable. Metered endpoints answer BILLING_UNAVAILABLE (docs/api.md). */
function codeOfUnavailable(route: Route | undefined): ErrorCode {
  return route?.endpoint.errors.includes('BILLING_UNAVAILABLE') ? 'BILLING_UNAVAILABLE' : 'SERVICE_UNAVAILABLE'
}

/** Returns whether heavy work rests beside the requests: they neither cost much nor change anything. */
function isLight(route: Route | undefined): boolean {
  return route !== undefined && !route.endpoint.expensive && !route.endpoint.changes
}

function splitUrl(url: string): [path: string, query: string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}
