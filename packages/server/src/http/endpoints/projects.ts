import type { Place } from '@rollkey/contract'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const projects =
  ({ projects: service }: Services): Handler<'projects'> =>
  async (context) => {
    const { caller, permissions } = context
    const isVisible = (place: Place): boolean => permissions.isVisible(place)
    return { projects: await service.list(caller.orgId, isVisible, () => context.takeTurn()) }
  }
