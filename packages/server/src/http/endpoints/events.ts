import { parseCursor } from '../../live/cursor.ts'
import { visibleStages, type VisibleStages } from '../../live/subscriber.ts'
import { noProject } from '../../stages/projects.ts'
import { EventStream } from '../event-stream.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const events =
  ({ projects, subscriptions, clock }: Services): Handler<'events'> =>
  async (context) => {
    const { caller, body, request } = context
    const { projectSlug, since } = body
    let { permissions } = context
    let stages = visibleStages(permissions.stagesOf(projectSlug))
    // The permissions change while the stream is open.
    const visible = (): VisibleStages => {
      if (permissions !== context.permissions) {
        permissions = context.permissions
        stages = visibleStages(permissions.stagesOf(projectSlug))
      }
      return stages
    }
    const assertVisible = (): void => {
      if (!context.permissions.isVisible({ projectSlug })) throw noProject(projectSlug)
    }
    assertVisible()
    // A browser that reconnects sends the original URL, and the newer id as a header.
    const lastEventId = request.headers['last-event-id']
    const text = lastEventId === undefined ? since : String(lastEventId)
    const filter = {
      orgId: caller.orgId,
      projectId: await projects.idOf(caller.orgId, projectSlug),
      since: text === undefined ? undefined : parseCursor(text),
      visible,
    }
    return new EventStream(subscriptions, filter, clock, assertVisible)
  }
