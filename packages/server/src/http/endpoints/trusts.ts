/** Handlers of trusts. */
import { issueRequestOf } from '../change-request-of.ts'
import type { Handlers } from '../handler.ts'

export const trustHandlers = {
  trustCreate: ({ authentication, trusts }, context) =>
    trusts.create(issueRequestOf(context, authentication), context.body),
  trustList: async ({ trusts }, { caller: { orgId }, permissions }) => ({
    trusts: await trusts.list(orgId, (place) => permissions.allows('manage', place)),
  }),
  trustUpdate: ({ authentication, trusts }, context) => {
    const { orgSlug: _, id, ...changes } = context.body
    return trusts.update(issueRequestOf(context, authentication), id, changes)
  },
  trustDelete: async ({ authentication, trusts }, context) => {
    await trusts.delete(issueRequestOf(context, authentication), context.body.id)
    return { ok: true }
  },
  trustTest: ({ trusts }, { body, permissions }) => trusts.test({ permissions }, body),
} satisfies Partial<Handlers>
