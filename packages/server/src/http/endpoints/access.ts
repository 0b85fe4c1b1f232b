/** Handlers of who may do what. */
import { explain } from '../../access/explanation.ts'
import { forbidden } from '../../access/forbidden.ts'
import { changeRequestOf } from '../change-request-of.ts'
import type { Handlers } from '../handler.ts'

export const accessHandlers = {
  accessList: async ({ grants, principals }, { caller: { orgId }, permissions: { policy }, body }) => {
    const listed = await grants.list(policy, { projectSlug: body.projectSlug, stageSlug: body.stageSlug })
    return { ...listed, grants: await principals.named(orgId, listed.grants) }
  },
  accessGrant: async ({ authentication, grants }, context) => {
    await grants.grant(changeRequestOf(context, authentication), context.body)
    return { ok: true }
  },
  accessRevoke: async ({ authentication, grants }, context) => {
    const { principal, projectSlug, stageSlug } = context.body
    await grants.revoke(changeRequestOf(context, authentication), principal, { projectSlug, stageSlug })
    return { ok: true }
  },
  accessExplain: async ({ authentication, principals, clock }, { caller, body, permissions: byGrants, reads }) => {
    const { projectSlug, stageSlug } = body
    const place = { projectSlug, stageSlug }
    const permissions = byGrants.withRole(await authentication.roleOf(caller, reads))
    const own = { kind: 'user', id: caller.userId } as const
    const named = body.principal ?? own
    const isOwn = named.kind === 'user' && named.id === caller.userId
    if (!isOwn && !permissions.allows('manage', place)) throw forbidden('manage', place, caller)
    if (!permissions.isVisible(place)) return { verbs: [], isProtected: false, sources: [] }
    const principal = await principals.find(caller, named)
    const standing = await principals.standingOf(caller, principal)
    const explanation = explain(permissions.policy, principal, standing, place, clock.now())
    return { ...explanation, sources: await principals.named(caller.orgId, explanation.sources) }
  },
  accessHolders: async ({ accessHistory, principals }, { caller: { orgId }, body }) => {
    const answer = await accessHistory.holders(orgId, body)
    return { ...answer, holders: await principals.named(orgId, answer.holders) }
  },
  groups: async ({ groups: service }, { caller: { userId }, permissions }) => ({
    groups: await service.list(permissions, userId),
  }),
  groupCreate: async ({ authentication, groups }, context) => ({
    id: await groups.create(changeRequestOf(context, authentication), context.body),
  }),
  groupUpdate: async ({ authentication, groups }, context) => {
    await groups.update(changeRequestOf(context, authentication), context.body)
    return { ok: true }
  },
  groupDelete: async ({ authentication, groups }, context) => {
    await groups.delete(changeRequestOf(context, authentication), context.body.id)
    return { ok: true }
  },
  groupMembers: async ({ authentication, groups }, context) => {
    await groups.change(changeRequestOf(context, authentication), context.body)
    return { ok: true }
  },
  roles: async ({ access, roles: service }, { caller: { orgId }, reads }) => ({
    roles: service.list(await access.policyOf(orgId, reads)),
  }),
  roleSet: async ({ authentication, roles }, context) => {
    await roles.set(changeRequestOf(context, authentication), context.body.name, context.body.verbs)
    return { ok: true }
  },
  roleDelete: async ({ authentication, roles }, context) => {
    await roles.delete(changeRequestOf(context, authentication), context.body.name)
    return { ok: true }
  },
  stageProtect: async ({ authentication, defaults, principals }, context) => {
    const losing = await defaults.protect(changeRequestOf(context, authentication), context.body)
    return { losing: await principals.named(context.caller.orgId, losing) }
  },
} satisfies Partial<Handlers>
