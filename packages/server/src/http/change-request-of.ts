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

/** Returns the request of a caller to give a machine access, which a confirmed command-line session may do too. */
export function issueRequestOf(
  { actor, caller, permissions }: Pick<RequestContext, 'actor' | 'permissions'> & { readonly caller: Caller },
  authentication: Authentication,
): ChangeRequest {
  const assertConfirmed = (): void => authentication.assertConfirmedRead(caller)
  return { actor, idpOrgId: caller.idpOrgId, permissions, assertConfirmed }
}
