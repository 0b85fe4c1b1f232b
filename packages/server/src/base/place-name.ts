import type { Place } from '@rollkey/contract'

/** Returns the name of a place for people. */
export function nameOf({ projectSlug, stageSlug }: Place): string {
  if (projectSlug === undefined) return 'the organization'
  return stageSlug === undefined ? `the project ${projectSlug}` : `the stage ${stageSlug} of the project ${projectSlug}`
}
