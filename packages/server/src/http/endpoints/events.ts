import { reaches } from '../../sessions/reach.ts'
import { parseSeen } from '../../variables/watch/seen.ts'
import { EventStream } from '../event-stream.ts'
import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const events =
  ({ projects, watch, clock }: Rooms): Handler<'events'> =>
  async ({ caller: { orgId, session }, body: { projectSlug, since }, lastEventId }) => {
    const reach = session?.reach
    // A browser that comes back by itself sends the address as it first was, and the later id as a header.
    const text = lastEventId === undefined ? since : String(lastEventId)
    const subject = {
      orgId,
      projectId: await projects.idOf(orgId, projectSlug),
      since: text === undefined ? undefined : parseSeen(text),
      includes: (stageSlug: string) => !reach || reaches(reach, { projectSlug, stageSlug }),
    }
    return new EventStream(watch, subject, clock)
  }
