import type { Caller } from './authenticate.ts'
import {
  clientKeyActorOf,
  personActorOf,
  serviceActorOf,
  sessionActorOf,
  trustActorOf,
  type Actor,
} from '../storage/actor.ts'
import type { TokenScope } from '../sessions/token-scope.ts'
import type { BillingEvent, UsageCaller } from '../storage/usage.ts'

export type { Actor }

/** Returns the caller as the actor of a change. */
export function actorOf(caller: Caller, requestId: string): Actor {
  const { session } = caller
  if (!session) return personActorOf(caller, requestId)
  const { scope, name } = session
  return actorIn(scope)(caller, name, requestId)
}

function actorIn(scope: TokenScope | undefined): typeof sessionActorOf {
  if (!scope) return sessionActorOf
  if (scope.clientKey) return clientKeyActorOf
  return scope.trustId === undefined ? serviceActorOf : trustActorOf
}

/** Returns what the caller of a request is counted as. */
export function usageEventOf(
  { userId, session }: Caller,
  requestKey: string | undefined,
): UsageCaller & Pick<BillingEvent, 'requestKey'> {
  return { caller: userId, how: session ? (session.scope ? 'service' : 'session') : 'provider', requestKey }
}
