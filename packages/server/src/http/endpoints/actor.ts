import type { Caller } from '../../auth/authenticate.ts'
import type { UsageEvent } from '../../metering/meter.ts'
import { personOf, serviceActorOf, sessionActorOf, type Actor } from '../../base/actor.ts'

/** The caller as whoever made a change. */
export function actorOf(caller: Caller, requestId: string): Actor {
  const { session } = caller
  if (!session) return personOf(caller, requestId)
  return (session.scope ? serviceActorOf : sessionActorOf)(caller, session.name, requestId)
}

/** Whose evaluation it is. */
export function chargedTo({ userId, session }: Caller, requestKey: string | undefined): UsageEvent {
  return { caller: userId, how: session ? (session.scope ? 'service' : 'session') : 'provider', requestKey }
}
