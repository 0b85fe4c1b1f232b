import type { Caller } from './authenticate.ts'
import { personActorOf, serviceActorOf, sessionActorOf, type Actor } from '../storage/actor.ts'
import type { UsageCaller } from '../storage/usage.ts'

export type { Actor }

/** Returns the caller as the actor of a change. */
export function actorOf(caller: Caller, requestId: string): Actor {
  const { session } = caller
  if (!session) return personActorOf(caller, requestId)
  return (session.scope ? serviceActorOf : sessionActorOf)(caller, session.name, requestId)
}

/** Returns the caller as the source of a usage event. */
export function usageCallerOf({ userId, session }: Caller): UsageCaller {
  return { caller: userId, how: session ? (session.scope ? 'service' : 'session') : 'provider' }
}
