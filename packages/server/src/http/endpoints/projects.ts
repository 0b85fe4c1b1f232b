import { isVisibleTo } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const projects =
  ({ projects: service }: Services): Handler<'projects'> =>
  async ({ caller: { orgId, session } }) => ({ projects: await service.list(orgId, isVisibleTo(session?.scope)) })
