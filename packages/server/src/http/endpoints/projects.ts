import { reaches } from '../../sessions/reach.ts'
import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const projects =
  ({ projects: room }: Rooms): Handler<'projects'> =>
  async ({ caller: { orgId, session } }) => {
    const reach = session?.reach
    return { projects: await room.list(orgId, (at) => !reach || reaches(reach, at)) }
  }
