import type { Place } from '@rollkey/contract'
import { ApiError } from './api-error.ts'

/** Returns the name of a place for people. */
export function nameOf({ projectSlug, stageSlug }: Place): string {
  if (projectSlug === undefined) return 'the organization'
  return stageSlug === undefined ? `the project ${projectSlug}` : `the stage ${stageSlug} of the project ${projectSlug}`
}

export function noPlace(place: Place): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `There is no such place as ${nameOf(place)}: list the projects, and create it first if it is missing.`,
  )
}
