/** Handlers of projects and their stages. */
import { lacksApprovers } from '../../access/approvers.ts'
import { forbidden } from '../../access/forbidden.ts'
import { assertMayArchive, movesProtected } from '../../access/protection.ts'
import type { Handlers } from '../handler.ts'
import type { Place } from '@rollkey/contract'

export const projectHandlers = {
  projects: async ({ projects: service, clock }, context) => {
    const { caller, permissions } = context
    const isVisible = (place: Place): boolean => permissions.isVisible(place)
    const projects = await service.list(caller.orgId, isVisible, () => context.takeTurn())
    // The authors of what a machine proposes are known once it did.
    if (caller.session?.scope) return { projects }
    const nowMs = clock.now()
    return {
      projects: projects.map((project) => ({
        ...project,
        stages: project.stages.map((stage) => {
          const place = { projectSlug: project.projectSlug, stageSlug: stage.stageSlug }
          const isShort = lacksApprovers(permissions.policy, place, [caller.userId], nowMs)
          return isShort ? { ...stage, lacksApprovers: true as const } : stage
        }),
      })),
    }
  },
  projectCreate: async ({ projects }, { body, actor }) => {
    await projects.create(actor, body)
    return { ok: true }
  },
  projectUpdate: async ({ projects, access, clock }, { body, actor, caller, permissions }) => {
    const { policy } = permissions
    const archived = body.archived === undefined ? [] : policy.protectedStages()
    for (const place of archived.filter(({ projectSlug }) => projectSlug === body.projectSlug))
      assertMayArchive(permissions, place, clock.now(), (verb, at) => forbidden(verb, at, caller))
    await projects.update(actor, body, (tx) => access.hold(tx, policy))
    return { ok: true }
  },
  stageCreate: async ({ projects }, { body, actor }) => {
    await projects.createStage(actor, body)
    return { ok: true }
  },
  stageUpdate: async ({ projects, access, clock }, { body, actor, caller, permissions }) => {
    const { projectSlug, stageSlug, archived, isProduction } = body
    if (archived !== undefined || isProduction !== undefined)
      assertMayArchive(permissions, { projectSlug, stageSlug }, clock.now(), (verb, at) => forbidden(verb, at, caller))
    await projects.updateStage(actor, body, (tx) => access.hold(tx, permissions.policy))
    return { ok: true }
  },
  stageDelete: async ({ deletion }, { body, actor }) => {
    await deletion.stage(actor, body)
    return { ok: true }
  },
  projectDelete: async ({ deletion }, { body, actor }) => {
    await deletion.project(actor, body)
    return { ok: true }
  },
  stageOrder: async ({ projects, access }, { body, actor, caller, permissions }) => {
    const { policy } = permissions
    const { projectSlug, stageSlugs } = body
    await projects.orderStages(actor, body, async (tx, before) => {
      await access.hold(tx, policy)
      if (!movesProtected(policy, projectSlug, before, stageSlugs)) return
      if (!permissions.allows('manage', { projectSlug })) throw forbidden('manage', { projectSlug }, caller)
    })
    return { ok: true }
  },
} satisfies Partial<Handlers>
