import type { Caller } from '../auth/authenticate.ts'
import type { StageRef } from '../stages/stages.ts'

/** Returns the stage that a request names, in the organization of its caller. */
export function stageRefOf(
  { orgId }: Caller,
  { projectSlug, stageSlug }: { projectSlug: string; stageSlug: string },
): StageRef {
  return { orgId, projectSlug, stageSlug }
}
