/** The scope of a service token, of the token of a trust, or of a client key, within its organization. */
import type { MachineRole } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { nameOf } from '../base/place-name.ts'

export interface TokenScope {
  /** The only project; undefined for all projects. */
  readonly projectSlug: string | undefined
  /** The only stage of that project; undefined for all stages. */
  readonly stageSlug: string | undefined
  readonly role: MachineRole
  /** Whether the token may read the history and restore. */
  readonly history: boolean
  /** The trust that the token was exchanged for; undefined for other credentials. */
  readonly trustId: string | undefined
  /** What a client key may do; undefined for other credentials. */
  readonly clientKey: ClientKeyTerms | undefined
}

/** Who may use a client key, and how much. It sees only variables that are exposed to client programs. */
interface ClientKeyTerms {
  /** Origins whose pages may use it, or `*` alone. */
  readonly origins: readonly string[]
  /** Undefined: as many as the operator sets. */
  readonly evaluationsPerMonth: number | undefined
}

/** Returns what people call a token with this scope. */
export function tokenName({ trustId, clientKey }: Pick<TokenScope, 'trustId' | 'clientKey'>): string {
  if (clientKey) return 'client key'
  return trustId === undefined ? 'service token' : 'token of a trust'
}

/** The project and stage that a request names. If it names none, the target is the organization itself. */
export interface ScopeTarget {
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
}

function scopeIncludes(scope: TokenScope, { projectSlug, stageSlug }: ScopeTarget): boolean {
  return (
    (projectSlug === undefined || scope.projectSlug === undefined || projectSlug === scope.projectSlug) &&
    (stageSlug === undefined || scope.stageSlug === undefined || stageSlug === scope.stageSlug)
  )
}

/** The rights that an endpoint requires, beyond reading the current state. */
export interface RequiredRights {
  readonly changes?: true | undefined
  readonly history?: true | undefined
}

/** Throws FORBIDDEN if the target or a required right is outside the scope. */
export function assertInScope(scope: TokenScope, target: ScopeTarget, { changes, history }: RequiredRights): void {
  if (!scopeIncludes(scope, target))
    throw new ApiError(
      'FORBIDDEN',
      `The ${tokenName(scope)} is only for ${nameOf(scope)}, and this request is for ${nameOf(target)}: correct the project or the stage, or use another token.`,
    )
  if (changes && scope.role !== 'developer')
    throw new ApiError('FORBIDDEN', `The ${tokenName(scope)} is read-only: use a token that may write.`)
  if (history && !scope.history) {
    throw new ApiError(
      'FORBIDDEN',
      `The ${tokenName(scope)} does not allow reading the history or restoring: use one with "history": true.`,
    )
  }
}

/** Throws FORBIDDEN for a token that is limited to a project. Endpoints about the organization itself call this. */
export function assertWholeOrganization(scope: TokenScope): void {
  if (scope.projectSlug === undefined) return
  throw new ApiError(
    'FORBIDDEN',
    `The ${tokenName(scope)} has access only to ${nameOf(scope)}: use a token for the whole organization.`,
  )
}
