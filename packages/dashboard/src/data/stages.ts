/** Queries about a stage: their keys, and how pages read them again. */
import type { StageSlugs } from '@rollkey/sdk/core'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { type Scope, useScope } from '../session/scope.ts'
import { projectsQuery } from './projects/queries.ts'

/** The place in the keys of queries about all stages of the organization. No slug has these characters. */
export const allStages: StageSlugs = { projectSlug: '*', stageSlug: '*' }

/** Returns the key of a query about a stage, or about all stages. `useRefresh` reads those of the stage again. */
export function stageKey(
  kind: string,
  { orgSlug }: Pick<Scope, 'orgSlug'>,
  { projectSlug, stageSlug }: StageSlugs,
  ...more: readonly unknown[]
): readonly unknown[] {
  return [kind, orgSlug, projectSlug, stageSlug, ...more]
}

/** A stage, or all stages of a project. */
type Stages = Pick<StageSlugs, 'projectSlug'> & Partial<StageSlugs>

/** Returns whether a query with a key of `stageKey` is about the stages. */
function isAbout(scope: Scope, { projectSlug, stageSlug }: Stages): (query: Query) => boolean {
  return ({ queryKey: [, organization, project, stage] }) =>
    organization === scope.orgSlug &&
    (project === allStages.projectSlug || (project === projectSlug && (stageSlug === undefined || stage === stageSlug)))
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
