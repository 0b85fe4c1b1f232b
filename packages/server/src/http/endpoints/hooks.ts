/** Handlers of webhooks. */
import type { Handlers } from '../handler.ts'

export const hookHandlers = {
  hookCreate: ({ hooks, access }, { body, actor, permissions }) =>
    hooks.create(actor, body, (tx) => access.hold(tx, permissions.policy)),
  hookList: async ({ hooks }, { caller: { orgId } }) => ({ hooks: await hooks.list(orgId) }),
  hookUpdate: ({ hooks, access }, { body, actor, permissions }) =>
    hooks.update(actor, body, (tx) => access.hold(tx, permissions.policy)),
  hookRotate: async ({ hooks, access }, { body, actor, permissions }) => ({
    secret: await hooks.rotate(actor, body.id, (tx) => access.hold(tx, permissions.policy)),
  }),
  hookDelete: async ({ hooks, access }, { body, actor, permissions }) => {
    await hooks.delete(actor, body.id, (tx) => access.hold(tx, permissions.policy))
    return { ok: true }
  },
  hookTest: ({ hooks }, { body, actor }) => hooks.test(actor, body),
  hookDeliveries: async ({ hooks }, { body, caller: { orgId } }) => ({
    deliveries: await hooks.deliveries(orgId, body.id),
  }),
  hookRedeliver: ({ hooks }, { body, caller: { orgId } }) => hooks.redeliver(orgId, body),
} satisfies Partial<Handlers>
