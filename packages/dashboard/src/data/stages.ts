/** Queries about a stage: their keys, and how pages read them again. */
import type { StageSlugs } from '@rollkey/sdk/core'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { type Scope, useScope } from '../session/scope.ts'
import { projectsQuery } from './projects/queries.ts'

/** Project and stage in the keys of queries about all stages of the organization. No slug has these characters. */
export const allStages = ['*', '*'] as const

/** A stage, or all stages of a project. */
type Stages = Pick<StageSlugs, 'projectSlug'> & Partial<StageSlugs>

/** Returns whether a query is about the stages. Its key begins with a kind, organization, project and stage. */
function isAbout(scope: Scope, { projectSlug, stageSlug }: Stages): (query: Query) => boolean {
  const places = [stageSlug === undefined ? [projectSlug] : [projectSlug, stageSlug], allStages]
  return ({ queryKey: [, organization, ...key] }) =>
    organization === scope.orgSlug && places.some((place) => place.every((part, at) => key[at] === part))
}

/** Returns a function that has the page read stages and the list of projects again. It resolves when the page shows the stages. */
export function useRefresh(): (...stages: readonly Stages[]) => Promise<void> {
  const scope = useScope()
  const queryClient = useQueryClient()
  return async (...stages) => {
    void queryClient.invalidateQueries(projectsQuery(scope))
    await Promise.all(stages.map((each) => queryClient.invalidateQueries({ predicate: isAbout(scope, each) })))
  }
}
