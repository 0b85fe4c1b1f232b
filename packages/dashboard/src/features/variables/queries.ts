/** The variables of a stage. Their values come by `reveal` alone, which keeps nothing of them. */
import type { WriteEntry } from '@rollkey/contract'
import { queryOptions, type Query } from '@tanstack/react-query'
import type { Change } from './change.ts'
import type { StageContents } from './comparison.ts'
import { ask, type Scope } from '../../session/scope.ts'

export interface Place {
  readonly projectSlug: string
  readonly stageSlug: string
}

/** Stands for project and stage in the keys of queries about all stages of the organization. No slug has these characters. */
export const allStages = ['*', '*'] as const

/** Whether a query asked something about the stage: the keys of those begin with what, organization, project, stage. */
export function isOfStage(scope: Scope, { projectSlug, stageSlug }: Place): (query: Query) => boolean {
  const places = [[projectSlug, stageSlug], allStages]
  return ({ queryKey: [, organization, ...key] }) =>
    organization === scope.orgSlug && places.some((place) => place.every((part, at) => key[at] === part))
}

export const digestsQuery = (scope: Scope, place: Place) =>
  queryOptions({
    queryKey: ['digests', scope.orgSlug, place.projectSlug, place.stageSlug],
    queryFn: async (): Promise<StageContents> => ask(scope, 'digests', place),
  })

/** The values that people see without revealing them. They are not secret, so they may stay in the memory of the page. */
export const plainQuery = (scope: Scope, place: Place) =>
  queryOptions({
    queryKey: ['plain', scope.orgSlug, place.projectSlug, place.stageSlug],
    queryFn: async (): Promise<readonly WriteEntry[]> => (await ask(scope, 'plain', place)).variables,
  })

/** How many changes of a variable are shown. */
const shownChanges = 5

export const changesQuery = (scope: Scope, place: Place, name: string) =>
  queryOptions({
    queryKey: ['changes', scope.orgSlug, place.projectSlug, place.stageSlug, name],
    queryFn: async (): Promise<readonly Change[]> =>
      (await ask(scope, 'history', { ...place, name, limit: shownChanges })).changes,
  })

/** The values of one variable; this is noted in the audit log. */
export async function reveal(scope: Scope, place: Place, name: string): Promise<WriteEntry> {
  const { variables } = await ask(scope, 'reveal', { ...place, names: [name] })
  const [variable] = variables
  if (!variable) throw new Error('The answer has no variable.')
  return variable
}
