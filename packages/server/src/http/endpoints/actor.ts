import type { Caller } from '../../auth/authenticate.ts'
import type { UsageEvent } from '../../metering/meter.ts'
import { personOf, serviceActorOf, sessionActorOf, type Actor } from '../../base/actor.ts'

/** Returns the caller as the actor of a change. */
export function actorOf(caller: Caller, requestId: string): Actor {
  const { session } = caller
  if (!session) return personOf(caller, requestId)
  return (session.scope ? serviceActorOf : sessionActorOf)(caller, session.name, requestId)
}

/** Returns the caller as the source of a usage event. */
export function chargedTo({ userId, session }: Caller, requestKey: string | undefined): UsageEvent {
  return { caller: userId, how: session ? (session.scope ? 'service' : 'session') : 'provider', requestKey }
}
