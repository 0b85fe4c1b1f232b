import { forbidden } from '../../access/forbidden.ts'
import { movesProtected } from '../../access/protection.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageOrder =
  ({ projects, access }: Services): Handler<'stageOrder'> =>
  async ({ body, actor, caller, permissions }) => {
    const { policy } = permissions
    const { projectSlug, stageSlugs } = body
    await projects.orderStages(actor, body, async (tx, before) => {
      await access.hold(tx, policy)
      if (!movesProtected(policy, projectSlug, before, stageSlugs)) return
      if (!permissions.allows('manage', { projectSlug })) throw forbidden('manage', { projectSlug }, caller)
    })
    return { ok: true }
  }
