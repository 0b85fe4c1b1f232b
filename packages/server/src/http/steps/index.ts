import { isScoped, type Endpoint, type EndpointName } from '@rollkey/contract'
import type { Access } from '../../access/access.ts'
import type { Authentication } from '../../auth/authenticate.ts'
import type { Clock } from '../../base/clock.ts'
import type { ReadValidator } from '../../consistency/read-validator.ts'
import type { Stages } from '../../stages/stages.ts'
import type { Cors } from '../cors.ts'
import type { PendingBodies } from '../limits/pending-bodies.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { unknownBytes, type UnreadAnswers } from '../limits/unread-answers.ts'
import { allow } from './allow.ts'
import { assertMethod } from './assert-method.ts'
import { authenticate, byAuthorization } from './authenticate.ts'
import { assertConfirmed, assertOwner, assertPerson, assertScope } from './authorize.ts'
import { confirmReads } from './confirm-reads.ts'
import { countNames, countRequest } from './count-request.ts'
import { assertDirectWrite, expectStage } from './direct-write.ts'
import { preflight } from './preflight.ts'
import { readJson } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { readRequestKey } from './read-request-key.ts'
import type { Step } from './step.ts'
import { validate } from './validate.ts'

/** The services that the steps use. */
export interface StepServices {
  readonly authentication: Authentication
  readonly access: Access
  readonly validator: ReadValidator
  readonly clock: Clock
  readonly stages: Stages
  readonly rateLimits: RateLimits
  readonly pendingBodies: PendingBodies
  readonly unreadAnswers: UnreadAnswers
  readonly cors: Cors
}

/** Returns the checks of an endpoint, in the order of docs/api.md. Its row in the contract decides which of them apply. */
export function stepsOf(name: EndpointName, endpoint: Endpoint, services: StepServices): Step[] {
  const { authentication, access, validator, clock, stages, rateLimits, pendingBodies, unreadAnswers, cors } = services
  const { auth, verb, method, metered, keyed, expensive, confirmation, writesVariables } = endpoint
  // A read has no effect but metering. Its read set is validated when it is charged or, unmetered, after its work.
  const isRead = method === 'GET' || (auth === 'caller' && !endpoint.changes && !keyed)
  const steps = [
    preflight(cors),
    assertMethod(endpoint),
    auth !== 'none' && authenticate(byAuthorization(auth, authentication), access, rateLimits),
    countRequest(name, endpoint, isRead && !metered ? unknownBytes : 0, rateLimits, unreadAnswers),
    method === 'GET' ? readQuery : readJson(endpoint.bodyBytes, pendingBodies),
    validate(endpoint),
    auth === 'caller' && endpoint.changes === true && countNames(rateLimits),
    (metered === true || keyed === true) && readRequestKey,
    isScoped(endpoint) && assertScope(endpoint),
    auth === 'person' && assertPerson(authentication),
    auth === 'owner' ? assertOwner(authentication) : verb !== 'none' && allow(endpoint, access, authentication),
    confirmation === true && assertConfirmed(authentication),
    writesVariables === true && assertDirectWrite(clock),
    writesVariables === true && expectStage(stages),
    !isRead && confirmReads(validator),
    expensive === true && takeTurn,
  ]
  return steps.filter((step) => step !== false)
}

/** Waits for the turn of the request to do expensive work. Throws RATE_LIMITED. */
const takeTurn: Step = (context) => context.takeTurn()
