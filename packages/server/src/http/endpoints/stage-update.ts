import { forbidden } from '../../access/forbidden.ts'
import { assertMayArchive } from '../../access/protection.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageUpdate =
  ({ projects, access, clock }: Services): Handler<'stageUpdate'> =>
  async ({ body, actor, caller, permissions }) => {
    const { projectSlug, stageSlug, archived, isProduction } = body
    if (archived !== undefined || isProduction !== undefined)
      assertMayArchive(permissions, { projectSlug, stageSlug }, clock.now(), (verb, at) => forbidden(verb, at, caller))
    await projects.updateStage(actor, body, (tx) => access.hold(tx, permissions.policy))
    return { ok: true }
  }
