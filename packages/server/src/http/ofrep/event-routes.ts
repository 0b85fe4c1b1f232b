/** The event stream of a stage for OFREP: it says that there is something new, and clients evaluate again. */
import { endpoints } from '@rollkey/contract'
import type { Caller } from '../../auth/authenticate.ts'
import { ApiError } from '../../base/api-error.ts'
import type { Clock } from '../../base/clock.ts'
import { parseCursor } from '../../live/cursor.ts'
import { visibleStages } from '../../live/subscriber.ts'
import type { Subscriptions } from '../../live/subscriptions.ts'
import { StreamTicket, ticketExpiry, ticketOf, type TicketStage } from '../../sessions/stream-tickets.ts'
import { noProject, type Projects } from '../../stages/projects.ts'
import { apiDialect, type DialectRoute } from '../dialect.ts'
import { clientViewOf } from '../../evaluation/client-view.ts'
import type { StageRef } from '../../stages/stages.ts'
import { EventStream, type StreamFormat } from '../event-stream.ts'
import { unknownBytes } from '../limits/unread-answers.ts'
import type { RequestContext } from '../request-context.ts'
import { assertOrigin } from '../steps/admit-client-key.ts'
import { allow } from '../steps/allow.ts'
import { assertMethod } from '../steps/assert-method.ts'
import { authenticate, type Identify } from '../steps/authenticate.ts'
import { assertScope } from '../steps/authorize.ts'
import { countRequest } from '../steps/count-request.ts'
import type { StepServices } from '../steps/index.ts'
import { preflight } from '../steps/preflight.ts'
import type { Step } from '../steps/step.ts'
import { belowStage, takePlace } from './place.ts'

export interface OfrepEventParts extends StepServices {
  readonly projects: Projects
  readonly subscriptions: Subscriptions
  readonly clock: Clock
}

/** A stream of events of the API, which shows only that something changed. */
const endpoint = endpoints.events
const path = '/ofrep/v1/events'
const inactivityDelaySec = 120

const refetch = { event: 'message', data: { type: 'refetchEvaluation' } }
const changes: StreamFormat = { eventOf: () => refetch }
/** A client that has not read the stream before may have missed a change since it evaluated. */
const firstChanges: StreamFormat = { ...changes, first: refetch }

/** The stream of a caller, as the answer with all flags describes it. */
export interface OfferedStream {
  /** Changes whenever the caller needs another ticket. */
  readonly version: string
  readonly text: () => string
}

/** Returns the stream of a stage. A caller without a session has none: its token is valid for a minute. */
export function offeredStream(
  { session }: Caller,
  { projectSlug, stageSlug }: TicketStage,
  nowMs: number,
): OfferedStream | undefined {
  if (!session) return undefined
  const expiresAtMs = ticketExpiry(nowMs)
  const text = (): string => {
    const ticket = ticketOf(session, { projectSlug, stageSlug }, expiresAtMs)
    const requestUri = `/projects/${projectSlug}/stages/${stageSlug}${path}?ticket=${ticket}`
    return JSON.stringify([{ type: 'sse', endpoint: { requestUri }, inactivityDelaySec }])
  }
  return { version: `${session.id} ${expiresAtMs}`, text }
}

function stageOfPath({ params }: Pick<RequestContext, 'params'>): TicketStage {
  return { projectSlug: params['projectSlug'] ?? '', stageSlug: params['stageSlug'] ?? '' }
}

/** Returns the ticket of the request. Throws UNAUTHORIZED for a text that cannot be one. */
function ticketIn(context: Pick<RequestContext, 'params' | 'query'>): StreamTicket {
  const ticket = StreamTicket.parse(new URLSearchParams(context.query).get('ticket') ?? '', stageOfPath(context))
  if (ticket) return ticket
  throw new ApiError(
    'UNAUTHORIZED',
    'The URL has no valid ticket: take it from eventStreams of the answer with all flags.',
  )
}

/** Throws UNAUTHORIZED for an expired ticket. A stream that is open already does not need it again. */
const assertUnexpired =
  ({ clock }: OfrepEventParts): Step =>
  (context) => {
    if (clock.now() >= ticketIn(context).expiresAtMs)
      throw new ApiError('UNAUTHORIZED', 'The ticket has expired: evaluate all flags again for another one.')
  }

/** Returns the format for a client key: it receives events of what it sees, whose ids say nothing about the rest of the stage. */
function clientFormat({ stages }: OfrepEventParts, stageRef: StageRef, since: string | undefined): StreamFormat {
  const { orgId, projectSlug, stageSlug } = stageRef
  const version = async (): Promise<string> => {
    const stage = await stages.current(stageRef)
    return stage ? clientViewOf(stage).version : 'none'
  }
  return { ...firstChanges, view: { key: `${orgId}/${projectSlug}/${stageSlug}`, since, version } }
}

function open(parts: OfrepEventParts): Step {
  const { projects, subscriptions, clock } = parts
  return async (context) => {
    const stage = stageOfPath(context)
    const { orgId, session } = context.caller as Caller
    const isVisible = (): boolean => context.permissions.isVisible(stage)
    const assertVisible = (): void => {
      if (!isVisible()) throw noProject(stage.projectSlug)
    }
    assertVisible()
    const lastEventId = context.request.headers['last-event-id']
    const seen = lastEventId === undefined ? undefined : String(lastEventId)
    const isClientKey = session?.scope?.clientKey !== undefined
    const since = isClientKey ? undefined : seen
    const filter = {
      orgId,
      projectId: await projects.idOf(orgId, stage.projectSlug),
      since: since === undefined ? undefined : parseCursor(since),
      visible: () => visibleStages(new Set(isVisible() ? [stage.stageSlug] : [])),
    }
    const ofStage = since === undefined ? firstChanges : changes
    const format = isClientKey ? clientFormat(parts, { orgId, ...stage }, seen) : ofStage
    return new EventStream(subscriptions, filter, clock, assertVisible, format)
  }
}

export function ofrepEventRoutes(parts: OfrepEventParts): DialectRoute[] {
  const { cors, authentication, access, rateLimits, unreadAnswers } = parts
  const identify: Identify = (context, beforeExpensiveCheck) =>
    authentication.callerOfTicket(ticketIn(context), context.reads, beforeExpensiveCheck)
  const name = 'ofrepEvents'
  return [
    {
      path: belowStage(path),
      name,
      endpoint,
      identify,
      steps: [
        preflight(cors),
        assertMethod(endpoint),
        assertUnexpired(parts),
        authenticate(identify, access, rateLimits),
        assertOrigin(cors),
        countRequest(name, endpoint, unknownBytes, rateLimits, unreadAnswers),
        takePlace,
        assertScope(endpoint),
        allow(endpoint, access, authentication),
        open(parts),
      ],
      dialect: apiDialect,
    },
  ]
}
