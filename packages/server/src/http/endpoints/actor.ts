import type { Caller } from '../../auth/authenticate.ts'
import { personOf, serviceActorOf, sessionActorOf, type Actor } from '../../base/actor.ts'

/** The caller as whoever made a change. */
export function actorOf(caller: Caller, requestId: string): Actor {
  const { session } = caller
  if (!session) return personOf(caller, requestId)
  return (session.reach ? serviceActorOf : sessionActorOf)(caller, session.name, requestId)
}
