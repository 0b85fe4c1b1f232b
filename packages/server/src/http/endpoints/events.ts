import { scopeIncludes } from '../../sessions/token-scope.ts'
import { parseCursor } from '../../live/cursor.ts'
import { EventStream } from '../event-stream.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const events =
  ({ projects, subscriptions, clock }: Services): Handler<'events'> =>
  async ({ caller: { orgId, session }, body: { projectSlug, since }, request }) => {
    const scope = session?.scope
    // A browser that reconnects sends the original URL, and the newer id as a header.
    const lastEventId = request.headers['last-event-id']
    const text = lastEventId === undefined ? since : String(lastEventId)
    const filter = {
      orgId,
      projectId: await projects.idOf(orgId, projectSlug),
      since: text === undefined ? undefined : parseCursor(text),
      includes: (stageSlug: string) => !scope || scopeIncludes(scope, { projectSlug, stageSlug }),
    }
    return new EventStream(subscriptions, filter, clock)
  }
