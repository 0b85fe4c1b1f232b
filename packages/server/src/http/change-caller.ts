import type { Place } from '@rollkey/contract'
import type { Permissions } from '../access/permissions.ts'
import type { Authentication, Caller } from '../auth/authenticate.ts'
import { ApiError } from '../base/api-error.ts'
import type { ChangeCaller } from '../changes/reader.ts'
import type { Actor } from '../auth/actor.ts'
import type { CopySource } from '../variables/changes/copy.ts'
import { stageRefOf } from './stage-ref.ts'

interface Context {
  readonly caller: Caller
  readonly actor: Actor
  readonly permissions: Permissions
}

/** Returns the caller of a request about proposed changes. */
export function changeCallerOf({ caller, actor, permissions }: Context): ChangeCaller & { readonly idpOrgId: string } {
  return { actor, permissions, isMachine: caller.session?.scope !== undefined, idpOrgId: caller.idpOrgId }
}

/** Returns whether the caller may read values of a stage that are not secret, as at the endpoint `plain`, and needs no confirmation first. */
export function seesPlain({ caller, permissions }: Context, place: Place, authentication: Authentication): boolean {
  if (caller.session?.scope || !permissions.allows('read', place)) return false
  return !permissions.policy.isProtected(place) || authentication.isConfirmedRead(caller)
}

/** What a request says about content that comes from elsewhere. */
interface Sources extends Place {
  readonly copy?: { readonly from: { readonly projectSlug: string; readonly stageSlug: string } } | undefined
  readonly restore?: unknown
}

/** Returns the stage that a proposal copies from. Throws FORBIDDEN for a restore by a token that may not read the history. */
export function sourceOf(context: Context, { copy, restore, ...target }: Sources): CopySource | undefined {
  if (restore !== undefined && context.caller.session?.scope?.history === false)
    throw new ApiError(
      'FORBIDDEN',
      'The token does not allow reading the history or restoring: use one with "history": true.',
    )
  return copy && { from: stageRefOf(context, copy.from), mayReadTarget: context.permissions.allows('read', target) }
}
