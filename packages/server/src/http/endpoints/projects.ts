import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const projects =
  ({ projects: service }: Services): Handler<'projects'> =>
  async ({ caller: { orgId }, permissions }) => ({
    projects: await service.list(orgId, (place) => permissions.isVisible(place)),
  })
