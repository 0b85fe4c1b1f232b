import type { Endpoint } from '@rollkey/contract'
import type { Authentication, Caller } from '../../auth/authenticate.ts'
import { ApiError } from '../../base/api-error.ts'
import { assertInScope, type ScopeTarget } from '../../sessions/token-scope.ts'
import type { Step } from './step.ts'

/** The stages that the body or query of a scoped request names: one, or a source and a target. */
interface RequestScope extends ScopeTarget {
  readonly orgSlug: string
  readonly from?: ScopeTarget
  readonly to?: ScopeTarget
  /** What a proposed change copies. */
  readonly copy?: { readonly from: ScopeTarget }
}

/** Asserts that the caller may use the stages that the request names. Throws INVALID_ORG_SCOPE or FORBIDDEN. */
export const assertScope =
  ({ auth, verb, changes, history }: Pick<Endpoint, 'auth' | 'verb' | 'changes' | 'history'>): Step =>
  (context) => {
    const { orgSlug, session } = context.caller as Caller
    const scope = context.body as RequestScope
    if (scope.orgSlug !== orgSlug) throw new ApiError('INVALID_ORG_SCOPE')
    if (!session?.scope || auth !== 'caller') return
    // Where a verb is needed, its step decides about changes.
    const rights = verb === 'none' ? { changes, history } : { history }
    for (const target of [scope, scope.from, scope.to, scope.copy?.from]) {
      if (target) assertInScope(session.scope, target, rights)
    }
  }

/** Throws FORBIDDEN if the caller is a service token. */
export const assertPerson =
  (authentication: Authentication): Step =>
  ({ caller }) =>
    authentication.assertPerson(caller as Caller)

/** Throws FORBIDDEN if the caller is not an owner. */
export const assertOwner =
  (authentication: Authentication): Step =>
  ({ caller, reads }) =>
    authentication.assertOwner(caller as Caller, reads)

/** Throws CONFIRMATION_REQUIRED if the person has no fresh confirmation. */
export const assertConfirmed =
  (authentication: Authentication): Step =>
  ({ caller }) =>
    authentication.assertConfirmed(caller as Caller)
