/** Handlers of the history of variables, the audit log and the counts of rolls. */
import type { Handlers } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'

export const historyHandlers = {
  history: async ({ stages, history: service }, context) => {
    const { body, reads, permissions } = context
    const stage = await stages.find(stageRefOf(context, body), reads)
    return { changes: await service.list(stage, body, permissions.allows('read', body)) }
  },
  plainHistory: async ({ stages, plainHistory: service }, context) => {
    const { body, reads } = context
    const stage = await stages.find(stageRefOf(context, body), reads)
    return { changes: await service.list(stage, body, context) }
  },
  recentHistory: ({ recentHistory: service }, { caller: { orgId }, permissions, body }) =>
    service.list(orgId, body, (place) => permissions.isVisible(place)),
  restore: ({ writer, restores }, context) => {
    const { body, actor, reads } = context
    return writer.write(stageRefOf(context, body), actor, restores.change(body), reads.arrivedAt)
  },
  rollCounts: async ({ stages, rollCounts: service }, context) => {
    const stage = await stages.find(stageRefOf(context, context.body), context.reads)
    return { hours: await service.list(stage, context.body) }
  },
  rolls: ({ rolls: service }, { caller: { orgId }, permissions, body }) =>
    service.list(orgId, body, (place) => permissions.isVisible(place)),
  audit: async ({ auditLog }, { caller: { orgId }, body }) => ({ entries: await auditLog.list(orgId, body) }),
} satisfies Partial<Handlers>
