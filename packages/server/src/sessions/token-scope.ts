/** How far a service token goes within its organization. */
import { ApiError } from '../base/api-error.ts'

export interface TokenScope {
  /** The only project; undefined: all. */
  readonly projectSlug: string | undefined
  /** The only stage of that project; undefined: all. */
  readonly stageSlug: string | undefined
  readonly readOnly: boolean
  /** Whether it reads the history and restores. */
  readonly history: boolean
}

/** What a request names; nothing: the organization as such. */
export interface ScopeTarget {
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
}

export function scopeIncludes(scope: TokenScope, { projectSlug, stageSlug }: ScopeTarget): boolean {
  return (
    (projectSlug === undefined || scope.projectSlug === undefined || projectSlug === scope.projectSlug) &&
    (stageSlug === undefined || scope.stageSlug === undefined || stageSlug === scope.stageSlug)
  )
}

/** What an endpoint does, beyond reading what is there now. */
export interface RequiredRights {
  readonly changes?: true
  readonly history?: true
}

/** Throws FORBIDDEN. */
export function assertInScope(scope: TokenScope, place: ScopeTarget, { changes, history }: RequiredRights): void {
  if (!scopeIncludes(scope, place) || (changes && isWiderThanScope(scope, place)))
    throw new ApiError('FORBIDDEN', `The service token reaches only ${textOf(scope)}.`)
  if (changes && scope.readOnly) throw new ApiError('FORBIDDEN', 'The service token is read-only.')
  if (history && !scope.history) {
    throw new ApiError(
      'FORBIDDEN',
      'The service token does not allow the history and restores (expected one created with history): create another token with "history": true.',
    )
  }
}

/** A whole project is more than a stage of it. */
function isWiderThanScope({ stageSlug }: TokenScope, place: ScopeTarget): boolean {
  return stageSlug !== undefined && place.projectSlug !== undefined && place.stageSlug === undefined
}

/** For what is of the organization as such. Throws FORBIDDEN for a token that reaches only a part of it. */
export function assertWholeOrganization(scope: TokenScope): void {
  if (scope.projectSlug === undefined) return
  throw new ApiError('FORBIDDEN', `The service token reaches only ${textOf(scope)}, not the whole organization.`)
}

function textOf({ projectSlug, stageSlug }: TokenScope): string {
  return stageSlug === undefined ? `the project ${projectSlug}` : `the stage ${stageSlug} of the project ${projectSlug}`
}
