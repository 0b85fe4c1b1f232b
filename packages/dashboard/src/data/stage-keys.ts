/** Keys of queries about a stage. */
import type { StageSlugs } from '@rollkey/sdk/core'
import type { Query } from '@tanstack/react-query'
import type { Scope } from '../session/scope.ts'

/** Project and stage in the keys of queries about all stages of the organization. No slug has these characters. */
export const allStages = ['*', '*'] as const

/**
 * Returns whether a query is about the stage, or about any stage of the project if none is named. Its key begins with a kind,
 * organization, project and stage.
 */
export function isOfStage(
  scope: Scope,
  { projectSlug, stageSlug }: Pick<StageSlugs, 'projectSlug'> & Partial<StageSlugs>,
): (query: Query) => boolean {
  const places = [stageSlug === undefined ? [projectSlug] : [projectSlug, stageSlug], allStages]
  return ({ queryKey: [, organization, ...key] }) =>
    organization === scope.orgSlug && places.some((place) => place.every((part, at) => key[at] === part))
}
