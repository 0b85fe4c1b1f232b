import { forbidden } from '../../access/forbidden.ts'
import { assertMayArchive } from '../../access/protection.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const projectUpdate =
  ({ projects, access, clock }: Services): Handler<'projectUpdate'> =>
  async ({ body, actor, caller, permissions }) => {
    const { policy } = permissions
    const archived = body.archived === undefined ? [] : policy.protectedStages()
    for (const place of archived.filter(({ projectSlug }) => projectSlug === body.projectSlug))
      assertMayArchive(permissions, place, clock.now(), (verb, at) => forbidden(verb, at, caller))
    await projects.update(actor, body, (tx) => access.hold(tx, policy))
    return { ok: true }
  }
