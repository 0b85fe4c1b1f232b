import { parseCursor } from '../../live/cursor.ts'
import { noProject } from '../../stages/projects.ts'
import { EventStream } from '../event-stream.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const events =
  ({ projects, subscriptions, clock }: Services): Handler<'events'> =>
  async (context) => {
    const { caller, body, request } = context
    const { projectSlug, since } = body
    // The permissions change while the stream is open.
    const isVisible = (stageSlug?: string): boolean => context.permissions.isVisible({ projectSlug, stageSlug })
    const assertVisible = (): void => {
      if (!isVisible()) throw noProject(projectSlug)
    }
    assertVisible()
    // A browser that reconnects sends the original URL, and the newer id as a header.
    const lastEventId = request.headers['last-event-id']
    const text = lastEventId === undefined ? since : String(lastEventId)
    const filter = {
      orgId: caller.orgId,
      projectId: await projects.idOf(caller.orgId, projectSlug),
      since: text === undefined ? undefined : parseCursor(text),
      includes: isVisible,
    }
    return new EventStream(subscriptions, filter, clock, assertVisible)
  }
