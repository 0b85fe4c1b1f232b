/** Evaluation by the OpenFeature Remote Evaluation Protocol (docs/ofrep.md). It is charged and limited like other evaluations. */
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { endpoints, limits, type DialectName } from '@rollkey/contract'
import type { Caller } from '../../auth/authenticate.ts'
import { ApiError } from '../../base/api-error.ts'
import type { RollRequest } from '../../evaluation/choose.ts'
import type { Clock } from '../../base/clock.ts'
import { largeBytes, TimeSlices } from '../../concurrency/time-slices.ts'
import { clientViewOf, isClientVisible, wholeOf } from '../../evaluation/client-view.ts'
import type { Evaluation, Flag } from '../../evaluation/evaluate.ts'
import type { ClientKeyQuotas } from '../../metering/client-key-quotas.ts'
import type { Stage } from '../../stages/stages.ts'
import type { DialectRoute } from '../dialect.ts'
import { matchesEtag } from '../etag.ts'
import { JsonText, Reply } from '../reply.ts'
import type { RequestContext } from '../request-context.ts'
import { stageRefOf } from '../stage-ref.ts'
import { assertOrigin, assertWithinQuota } from '../steps/admit-client-key.ts'
import { allow } from '../steps/allow.ts'
import { assertMethod } from '../steps/assert-method.ts'
import { authenticate, byHeader } from '../steps/authenticate.ts'
import { assertScope } from '../steps/authorize.ts'
import { countRequest } from '../steps/count-request.ts'
import type { StepServices } from '../steps/index.ts'
import { preflight } from '../steps/preflight.ts'
import { readBody } from '../steps/read-body.ts'
import { readRequestKey } from '../steps/read-request-key.ts'
import type { Step } from '../steps/step.ts'
import { offeredStream, type OfferedStream } from './event-routes.ts'
import { flagOrFailureText, flagText } from './flag-text.ts'
import { keyOf, rollOf } from './flag-request.ts'
import { ofrepDialect } from './ofrep-dialect.ts'
import { belowStage, placeOf } from './place.ts'

export interface OfrepParts extends StepServices {
  readonly evaluation: Evaluation
  readonly clientKeyQuotas: ClientKeyQuotas
  readonly clock: Clock
}

/** What of a request the body says. */
interface FlagBody {
  readonly projectSlug: string
  readonly stageSlug: string
  /** Who asks; undefined until something depends on it. */
  readonly roll: RollRequest | undefined
  readonly bytes: Buffer
}

type FlagContext = Omit<RequestContext<'evaluate'>, 'body'> & { readonly body: FlagBody }

/** An evaluation of OFREP is one of the API: the same credentials, verb, limits and errors. */
const endpoint = endpoints.evaluate

function readBytes({ pendingBodies }: StepServices): Step {
  return (context) => {
    const { request, response } = context
    context.input ??= readBody(request, limits.bodyBytes, pendingBodies.bodyOf(request, response))
  }
}

const parse: Step = async (context) => {
  const bytes = (await context.input) as Buffer
  const tags = context.request.headers['if-none-match']
  // A tag belongs to a body that was read before. One that does not match is read later.
  const mayBeUnchanged = tags !== undefined && !tags.includes('*')
  context.body = { ...placeOf(context), roll: mayBeUnchanged ? undefined : rollOf(bytes), bytes } as never
}

/** Returns who asks. Throws OfrepError. */
function rollIn({ roll, bytes }: FlagBody): RollRequest {
  return roll ?? rollOf(bytes)
}

function isClientKey({ session }: Caller): boolean {
  return session?.scope?.clientKey !== undefined
}

/** Changes with the format of answers, so that no client keeps an answer in an earlier one. */
const formatVersion = 2

/**
 * Returns the tag of an answer with all flags. It covers everything that the answer depends on, and nothing else: what the caller sees
 * of the stage (`version`), the whole context as it was sent, and the stream. It is computed without evaluating, and equal on every
 * node.
 */
function etagOf(
  { orgId, stageId }: Stage,
  version: string,
  { bytes }: FlagBody,
  stream: OfferedStream | undefined,
): string {
  const state = [formatVersion, orgId, stageId, version, stream?.version ?? ''].join(' ')
  return `"${hash('sha256', `${state}\n${bytes.toString('latin1')}`, 'base64url')}"`
}

function evaluateOne({ evaluation }: OfrepParts) {
  return async (context: FlagContext): Promise<JsonText> => {
    const { body, caller } = context
    const isVisible = isClientKey(caller) ? isClientVisible : () => true
    const flag = { name: keyOf(context) ?? '', roll: rollIn(body), isVisible }
    return new JsonText(await evaluation.evaluateFlag(stageRefOf(context, body), flag, context, flagText))
  }
}

/** Returns whether the client may be the provider for Kotlin, which polls and refuses an answer with `eventStreams`. */
function isKtor({ headers }: IncomingMessage): boolean {
  return /^ktor[ -]client$/i.test(headers['user-agent'] ?? '')
}

function evaluateAll({ evaluation, stages, clock }: OfrepParts) {
  return async (context: FlagContext): Promise<JsonText | Reply> => {
    const { body, caller, request, reads } = context
    const stage = await stages.find(stageRefOf(context, body), reads)
    const { variables, version } = (isClientKey(caller) ? clientViewOf : wholeOf)(stage)
    // A stage that does not exist has no events.
    const hasStream = stage.revision > 0 && !isKtor(request)
    const stream = hasStream ? offeredStream(caller, body, clock.now()) : undefined
    const etag = etagOf(stage, version, body, stream)
    if (matchesEtag(request.headers['if-none-match'], etag)) return new Reply(304, ['etag', etag])
    const flags = await evaluation.evaluateFlags(stage, [...variables.values()], rollIn(body), context)
    // A value that does not open now may open later at the same revision.
    const isWhole = flags.every(({ choice, value }) => !choice || value !== undefined)
    const { pieces, last } = await piecesOf(flags)
    const tail = `${last}]${stream ? `,"eventStreams":${stream.text()}` : ''}`
    return new JsonText('{"flags":[', pieces, tail, isWhole ? ['etag', etag] : [])
  }
}

/** Returns the texts of all flags in large pieces and a rest, between which other requests are served. */
async function piecesOf(flags: readonly Flag[]): Promise<{ pieces: Buffer[]; last: string }> {
  const pieces: Buffer[] = []
  const slices = new TimeSlices()
  let last = ''
  for (const [index, flag] of flags.entries()) {
    last += (index > 0 ? ',' : '') + flagOrFailureText(flag)
    if (last.length >= largeBytes) {
      pieces.push(Buffer.from(last))
      last = ''
      if (slices.isOver) await slices.next()
    }
  }
  return { pieces, last }
}

/** Answers a path that no other route has, such as that of an empty key, or of one that clients resolve as `..`. */
const refusePath: Step = () => {
  throw new ApiError('VARIABLE_NOT_FOUND', 'The path names no flag: put its key after /ofrep/v1/evaluate/flags/.')
}

export function ofrepRoutes(parts: OfrepParts): DialectRoute[] {
  const { cors, authentication, access, rateLimits, unreadAnswers, clientKeyQuotas } = parts
  const identify = byHeader('x-api-key', 'client', authentication)
  const route = (name: DialectName, path: string, handler: (context: never) => Promise<object>): DialectRoute => ({
    path: belowStage(path),
    name,
    endpoint,
    identify,
    steps: [
      preflight(cors),
      assertMethod(endpoint),
      authenticate(identify, access, rateLimits),
      assertOrigin(cors),
      countRequest(name, endpoint, 0, rateLimits, unreadAnswers),
      assertWithinQuota(clientKeyQuotas),
      readBytes(parts),
      parse,
      readRequestKey,
      assertScope(endpoint),
      allow(endpoint, access, authentication),
      handler as Step,
    ],
    dialect: ofrepDialect,
  })
  return [
    // A key may contain slashes, which some providers do not encode.
    route('ofrepEvaluate', '/ofrep/v1/evaluate/flags/(?<key>.+)', evaluateOne(parts)),
    route('ofrepEvaluateAll', '/ofrep/v1/evaluate/flags', evaluateAll(parts)),
    {
      path: belowStage('/ofrep/v1/evaluate/.*'),
      name: 'ofrepUnknown',
      endpoint,
      steps: [preflight(cors), refusePath],
      dialect: ofrepDialect,
    },
  ]
}
