import type { Caller } from './authenticate.ts'
import { personOf, serviceActorOf, sessionActorOf, type Actor } from '../storage/actor.ts'
import type { BillingEvent, UsageCaller } from '../storage/usage.ts'

/** Returns the caller as the actor of a change. */
export function actorOf(caller: Caller, requestId: string): Actor {
  const { session } = caller
  if (!session) return personOf(caller, requestId)
  return (session.scope ? serviceActorOf : sessionActorOf)(caller, session.name, requestId)
}

/** Returns the caller as the source of a usage event. */
export function chargedTo(
  { userId, session }: Caller,
  requestKey: string | undefined,
): UsageCaller & Pick<BillingEvent, 'requestKey'> {
  return { caller: userId, how: session ? (session.scope ? 'service' : 'session') : 'provider', requestKey }
}
