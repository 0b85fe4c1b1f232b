import type { Permissions } from '../access/permissions.ts'
import type { Caller } from '../auth/authenticate.ts'
import { ApiError } from '../base/api-error.ts'
import type { ChangeCaller } from '../changes/changes.ts'
import type { Actor } from '../auth/actor.ts'
import type { StageRef } from '../stages/stages.ts'
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

/** What a request says about content that comes from elsewhere. */
interface Sources {
  readonly copy?: { readonly from: { readonly projectSlug: string; readonly stageSlug: string } } | undefined
  readonly restore?: unknown
}

/** Returns the stage that a proposal copies from. Throws FORBIDDEN for a restore by a token that may not read the history. */
export function sourceOf(context: Context, { copy, restore }: Sources): StageRef | undefined {
  if (restore !== undefined && context.caller.session?.scope?.history === false)
    throw new ApiError(
      'FORBIDDEN',
      'The token does not allow reading the history or restoring: use one with "history": true.',
    )
  return copy && stageRefOf(context, copy.from)
}
