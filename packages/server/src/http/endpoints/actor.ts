import type { Caller } from '../../auth/authenticate.ts'
import type { Actor } from '../../base/actor.ts'

/** The caller as whoever made a change. */
export function actorOf({ orgId, userId, session }: Caller, requestId: string): Actor {
  const who = { orgId, id: userId, requestId }
  if (!session) return { ...who, how: 'provider', client: 'dashboard' }
  const { reach, name } = session
  const [how, kind] = reach ? (['service', 'service token'] as const) : (['session', 'cli session'] as const)
  return { ...who, how, client: name === undefined ? kind : `${kind} ${name}` }
}
