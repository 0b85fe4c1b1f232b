import { builtInRoles } from '@rollkey/contract'
import { assertMayIssue } from '../../access/grants.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const keyCreate =
  ({ access, authentication, clientKeys }: Services): Handler<'keyCreate'> =>
  ({ body, caller, actor, permissions }) => {
    const { projectSlug, stageSlug } = body
    const own = { projectSlug, stageSlug, verbs: builtInRoles.reader }
    assertMayIssue(permissions, [own], () => authentication.assertConfirmedRead(caller))
    return clientKeys.create(actor, body, (tx) => access.hold(tx, permissions.policy))
  }
