import type { ChangeRequest } from '../access/change-request.ts'
import type { Authentication, Caller } from '../auth/authenticate.ts'
import type { RequestContext } from './request-context.ts'

/** Returns the request of a caller to change who may do what. */
export function changeRequestOf(
  { actor, caller, permissions }: Pick<RequestContext, 'actor' | 'permissions'> & { readonly caller: Caller },
  authentication: Authentication,
): ChangeRequest {
  const assertConfirmed = (): void => authentication.assertConfirmed(caller)
  return { actor, idpOrgId: caller.idpOrgId, permissions, assertConfirmed }
}
