import type { Permissions } from '../access/permissions.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { StageRef } from '../stages/stages.ts'

/**
 * Returns the stage that a request names, in the organization of its caller. A stage that does not exist for the caller becomes one
 * that exists for no one, because no slug is empty.
 */
export function stageRefOf(
  { caller, permissions }: { readonly caller: Caller; readonly permissions: Permissions },
  { projectSlug, stageSlug }: { projectSlug: string; stageSlug: string },
): StageRef {
  const { orgId } = caller
  if (permissions.isVisible({ projectSlug, stageSlug })) return { orgId, projectSlug, stageSlug }
  return { orgId, projectSlug: '', stageSlug: '' }
}
