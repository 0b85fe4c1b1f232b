import type { Answer, Project, Stage, StageSlugs } from '@rollkey/sdk/core'
import { limits, type Place, type Verb, withoutHiddenCharacters } from '@rollkey/contract/rules'
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useRecentProjects } from '../../session/recent-projects.ts'
import { ask, type Scope, useScope } from '../../session/scope.ts'
import { justReadMs } from '../../service/query-client.ts'
import { placeName, labels } from './labels.ts'

/** The editable attributes of a project or a stage. */
export interface PlaceChange {
  readonly name?: string
  readonly archived?: boolean
}

const projectsRefreshMs = 30_000

export const projectsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['projects', scope.orgSlug],
    queryFn: async (): Promise<readonly Project[]> => (await ask(scope, 'projects', {})).projects.map(shown),
    staleTime: justReadMs,
    // Events tell about variables, but not about what others change of a project, such as the protection of a stage.
    refetchInterval: projectsRefreshMs,
  })

/** Returns the project without hidden characters in its names. */
function shown(project: Project): Project {
  const stages = project.stages.map((stage) => ({ ...stage, name: withoutHiddenCharacters(stage.name) }))
  return { ...project, name: withoutHiddenCharacters(project.name), stages }
}

export type Attention = Answer<'attention'>

const attentionRefreshMs = 60_000

/** Reads what needs attention: variables missing in production, those due for another value, rolls that do not fit and expiring tokens. */
export const attentionQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['attention', scope.orgSlug],
    queryFn: async (): Promise<Attention> => {
      const { expiringTokens, ...attention } = await ask(scope, 'attention', {})
      const tokens = expiringTokens?.map((token) => ({ ...token, name: withoutHiddenCharacters(token.name) }))
      return { ...attention, ...(tokens && { expiringTokens: tokens }) }
    },
    refetchInterval: attentionRefreshMs,
    // What was missing may just have been added, or proposed.
    staleTime: 0,
  })

/** Returns the stages that are not archived, in the order of the project. */
export function currentStages({ stages }: Project): readonly Stage[] {
  return stages.filter(({ archivedAtMs }) => archivedAtMs === undefined)
}

/** Returns the stage with the slug of an address, or the first one if the address names none. */
export function chosenStage(stages: readonly Stage[], stageSlug: string | undefined): Stage | undefined {
  return stageSlug === undefined ? stages[0] : stages.find((stage) => stage.stageSlug === stageSlug)
}

/** Returns the project with only those of its stages in which the viewer has a verb. */
export function useProjectWhere(project: Project, verb: Verb): Project {
  const may = useMay()
  return useMemo(() => {
    const { projectSlug, stages } = project
    return { ...project, stages: stages.filter(({ stageSlug }) => may(verb, { projectSlug, stageSlug })) }
  }, [project, verb, may])
}

/** Returns when the project or one of its variables last changed. */
export function changedAtMs(project: Project): number {
  return Math.max(project.createdAtMs, ...currentStages(project).map(({ updatedAtMs }) => updatedAtMs))
}

/** Returns the projects that are not archived, the last opened first, then the last changed. */
export function useProjectsByUse(): readonly Project[] {
  const scope = useScope()
  const slugs = useRecentProjects(scope.orgSlug)
  const { data = [] } = useQuery(projectsQuery(scope))
  return byUse(data, slugs)
}

/** Returns a stage for the commands of empty pages: the last one of the project that was used last. Before there is one, an example. */
export function useExampleStage(): StageSlugs {
  const [project] = useProjectsByUse()
  const stage = project && currentStages(project).at(-1)
  return project && stage
    ? { projectSlug: project.projectSlug, stageSlug: stage.stageSlug }
    : { projectSlug: 'shop', stageSlug: 'prod' }
}

function byUse(projects: readonly Project[], recentSlugs: readonly string[]): readonly Project[] {
  const rankOf = ({ projectSlug }: Project): number => {
    const rank = recentSlugs.indexOf(projectSlug)
    return rank < 0 ? recentSlugs.length : rank
  }
  return projects
    .filter(({ archivedAtMs }) => archivedAtMs === undefined)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || changedAtMs(other) - changedAtMs(one))
}

/** Names stages of a project in their order, such as "The Shop / Live" or "shop / dev and prod". One that does not exist has its slug. */
export function stageName(projects: readonly Project[], projectSlug: string, ...stageSlugs: readonly string[]): string {
  const { name = projectSlug, stages = [] } = projects.find((each) => each.projectSlug === projectSlug) ?? {}
  const at = (slug: string): number => stages.findIndex(({ stageSlug }) => stageSlug === slug)
  const ordered = stageSlugs.toSorted((one, other) => at(one) - at(other))
  return labels.place(
    name,
    ordered.map((slug) => stages[at(slug)]?.name ?? slug),
  )
}

/** Names the whole organization, a project or a stage, such as "The Shop / Live". */
export function namedPlace(projects: readonly Project[], { projectSlug, stageSlug }: Place): string {
  if (projectSlug === undefined) return placeName({})
  if (stageSlug !== undefined) return stageName(projects, projectSlug, stageSlug)
  return projects.find((each) => each.projectSlug === projectSlug)?.name ?? projectSlug
}

export function isProduction(projects: readonly Project[], { projectSlug, stageSlug }: StageSlugs): boolean {
  const project = projects.find((each) => each.projectSlug === projectSlug)
  return project?.stages.find((each) => each.stageSlug === stageSlug)?.isProduction === true
}

/** A stage of a project that is created with it. */
export interface NewStage {
  readonly stageSlug: string
  readonly isProduction: boolean
}

/** Creates a project with stages in their order. */
export async function createProject(
  scope: Scope,
  projectSlug: string,
  name: string,
  stages: readonly NewStage[],
): Promise<void> {
  await ask(scope, 'projectCreate', { projectSlug, name, stages: [...stages] })
}

/** Sets the order of the stages. `stageSlugs`: all of the project, including archived ones. */
export async function orderStages(scope: Scope, projectSlug: string, stageSlugs: readonly string[]): Promise<void> {
  await ask(scope, 'stageOrder', { projectSlug, stageSlugs: [...stageSlugs] })
}

export async function deleteProject(scope: Scope, projectSlug: string): Promise<void> {
  await ask(scope, 'projectDelete', { projectSlug, confirm: projectSlug })
}

export async function deleteStage(scope: Scope, projectSlug: string, stageSlug: string): Promise<void> {
  await ask(scope, 'stageDelete', { projectSlug, stageSlug, confirm: stageSlug })
}

export async function updateProject(scope: Scope, projectSlug: string, change: PlaceChange): Promise<void> {
  await ask(scope, 'projectUpdate', { projectSlug, ...change })
}

export async function createStage(scope: Scope, projectSlug: string, stageSlug: string, name: string): Promise<void> {
  await ask(scope, 'stageCreate', { projectSlug, stageSlug, name })
}

export async function updateStage(
  scope: Scope,
  projectSlug: string,
  stageSlug: string,
  change: PlaceChange & { readonly isProduction?: boolean },
): Promise<void> {
  await ask(scope, 'stageUpdate', { projectSlug, stageSlug, ...change })
}

/** Finds variables of all projects by part of their names. The last answer stays until the next one arrives. */
export const searchQuery = (scope: Scope, part: string) =>
  queryOptions({
    queryKey: ['search', scope.orgSlug, part],
    queryFn: async ({ signal }) => ask(scope, 'search', { query: part, limit: limits.searchResults }, signal),
    placeholderData: keepPreviousData,
  })

/** Returns a mutation of projects or stages, which ends when the list shows the change. */
export function useProjectChange<Change>(change: (what: Change) => Promise<void>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries(projectsQuery(scope)),
  })
}
