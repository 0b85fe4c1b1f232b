/** Handlers of client keys. */
import { assertMayIssue } from '../../access/grants.ts'
import type { Handlers } from '../handler.ts'
import { builtInRoles } from '@rollkey/contract'

export const keyHandlers = {
  keyCreate: ({ access, authentication, clientKeys }, { body, caller, actor, permissions }) => {
    const { projectSlug, stageSlug } = body
    const own = { projectSlug, stageSlug, verbs: builtInRoles.reader }
    assertMayIssue(permissions, [own], () => authentication.assertConfirmedRead(caller))
    return clientKeys.create(actor, body, (tx) => access.hold(tx, permissions.policy))
  },
  keyList: async ({ clientKeys }, { caller: { orgId }, permissions }) => ({
    keys: await clientKeys.list(orgId, (place) => permissions.allows('manage', place)),
  }),
  keyRevoke: async ({ clientKeys }, { body, actor, permissions }) => {
    await clientKeys.revoke(actor, body.id, (place) => permissions.allows('manage', place))
    return { ok: true }
  },
} satisfies Partial<Handlers>
