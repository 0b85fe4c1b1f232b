import { scopeIncludes } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from './services.ts'

export const projects =
  ({ projects: room }: Services): Handler<'projects'> =>
  async ({ caller: { orgId, session } }) => {
    const scope = session?.scope
    return { projects: await room.list(orgId, (at) => !scope || scopeIncludes(scope, at)) }
  }
