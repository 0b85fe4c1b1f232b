/** Handlers of the organization as a whole. */
import { parseCursor } from '../../live/cursor.ts'
import { type VisibleStages, visibleStages } from '../../live/subscriber.ts'
import { assertWholeOrganization } from '../../sessions/token-scope.ts'
import { noProject } from '../../stages/projects.ts'
import { changeRequestOf } from '../change-request-of.ts'
import { EventStream } from '../event-stream.ts'
import type { Handlers } from '../handler.ts'
import { jsonPieces } from '../json-pieces.ts'
import { JsonText } from '../reply.ts'
import type { Place } from '@rollkey/contract'

export const organizationHandlers = {
  organization: async ({ organizations, usage }, { caller: { orgId, orgSlug } }) => ({
    orgSlug,
    ...(await organizations.settingsOf(orgId)),
    plan: usage.plan,
  }),
  organizationUpdate: async ({ authentication, organizations, defaults }, context) => {
    const { actor, body } = context
    const { createsOnWrite, defaultRole } = body
    if (createsOnWrite !== undefined) await organizations.update(actor, createsOnWrite)
    if (defaultRole !== undefined) await defaults.setRole(changeRequestOf(context, authentication), defaultRole)
    return { ok: true }
  },
  organizationMembers: async ({ principals }, { caller: { idpOrgId } }) => {
    const members = await principals.members(idpOrgId)
    return { members: members ?? [], isExternal: members === undefined }
  },
  signInRules: async ({ signInRules }, { permissions: { policy }, caller: { orgSlug } }) =>
    signInRules.show(policy, orgSlug),
  signInRulesSet: async ({ access, signInRules }, { actor, caller, body, reads }) => {
    await signInRules.set({ actor, caller }, await access.policyOf(caller.orgId, reads), body)
    return { ok: true }
  },
  organizationDelete: async ({ deletion }, { actor, caller }) => {
    await deletion.organization(actor, caller.idpOrgId)
    return { ok: true }
  },
  usage: async ({ usage: service }, { caller: { orgId, session }, permissions, body }) => {
    if (session?.scope) assertWholeOrganization(session.scope)
    // Events without a stage would show that the organization has more than the caller may list.
    const isVisible = ({ projectSlug, stageSlug }: Place): boolean =>
      projectSlug !== undefined && permissions.isVisible({ projectSlug, stageSlug })
    const { months, days, ...rest } = await service.show(
      orgId,
      body,
      permissions.allows('list', {}) ? undefined : isVisible,
    )
    const head = `${JSON.stringify({ months }).slice(0, -1)},"days":[`
    return new JsonText(head, await jsonPieces(days), `],${JSON.stringify(rest).slice(1, -1)}`)
  },
  usageCallers: ({ usage }, { caller: { orgId }, body: { from, to } }) => usage.callers(orgId, { from, to }),
  attention: async (
    { authentication, declarations, missingVariables, overdueVariables, rolls, serviceTokens, replica },
    { caller, reads, permissions: byGrants },
  ) => {
    const { orgId, session } = caller
    const role = session?.scope ? undefined : await authentication.roleOf(caller, reads)
    const permissions = role ? byGrants.withRole(role) : byGrants
    const isVisible = (place: Place): boolean => permissions.isVisible(place)
    const maySeeTokens = permissions.allowsSomewhere('manage')
    const mayManage = (place: Place): boolean => permissions.allows('manage', place)
    const declaring = await declarations.projectsOf(orgId)
    return {
      missing: await missingVariables.list(orgId, isVisible, declaring),
      overdue: await overdueVariables.byStage(declaring, isVisible),
      ...(maySeeTokens && { expiringTokens: await serviceTokens.expiring(orgId, mayManage) }),
      misfits: (await rolls.misfits(orgId, isVisible)).map(({ projectSlug, stageSlug, name }) => ({
        projectSlug,
        stageSlug,
        name,
      })),
      ...(role === 'owner' && replica?.trouble && { replica: replica.trouble }),
    }
  },
  search: ({ search: service }, { caller: { orgId }, permissions, body }) =>
    service.find(orgId, body, (place) => permissions.isVisible(place)),
  events: async ({ projects, subscriptions, clock }, context) => {
    const { caller, body, request } = context
    const { projectSlug, since } = body
    let { permissions } = context
    let stages = visibleStages(permissions.stagesOf(projectSlug))
    // The permissions change while the stream is open.
    const visible = (): VisibleStages => {
      if (permissions !== context.permissions) {
        permissions = context.permissions
        stages = visibleStages(permissions.stagesOf(projectSlug))
      }
      return stages
    }
    const assertVisible = (): void => {
      if (!context.permissions.isVisible({ projectSlug })) throw noProject(projectSlug)
    }
    assertVisible()
    // A browser that reconnects sends the original URL, and the newer id as a header.
    const lastEventId = request.headers['last-event-id']
    const text = lastEventId === undefined ? since : String(lastEventId)
    const filter = {
      orgId: caller.orgId,
      projectId: await projects.idOf(caller.orgId, projectSlug),
      since: text === undefined ? undefined : parseCursor(text),
      visible,
    }
    return new EventStream(subscriptions, filter, clock, assertVisible)
  },
} satisfies Partial<Handlers>
