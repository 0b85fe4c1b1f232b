import type { Answer } from '@rollkey/sdk/core'
import { limits, withoutHiddenCharacters } from '@rollkey/contract/rules'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ask, type Scope, useScope } from '../../session/scope.ts'

export type Project = Answer<'projects'>['projects'][number]
export type Stage = Project['stages'][number]

/** What people change about a project or a stage. */
export interface PlaceChange {
  readonly name?: string
  readonly archived?: boolean
}

export const projectsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['projects', scope.orgSlug],
    queryFn: async (): Promise<readonly Project[]> => (await ask(scope, 'projects', {})).projects.map(shown),
  })

/** With names that look like what they are. */
function shown(project: Project): Project {
  const stages = project.stages.map((stage) => ({ ...stage, name: withoutHiddenCharacters(stage.name) }))
  return { ...project, name: withoutHiddenCharacters(project.name), stages }
}

/** The stages marked as production that lack variables of other stages. */
export const missingQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['missing-in-production', scope.orgSlug],
    queryFn: async () => (await ask(scope, 'attention', {})).missing,
  })

/** Those that are in use, in the order of the project. */
export function currentStages({ stages }: Project): readonly Stage[] {
  return stages.filter(({ archivedAtMs }) => archivedAtMs === undefined)
}

/** When the project or one of its variables last changed. */
export function changedAtMs(project: Project): number {
  return Math.max(project.createdAtMs, ...currentStages(project).map(({ updatedAtMs }) => updatedAtMs))
}

/** Such as "The Shop / Live"; the slugs of what is not there. */
export function stageName(projects: readonly Project[], projectSlug: string, stageSlug: string): string {
  const project = projects.find((each) => each.projectSlug === projectSlug)
  const stage = project?.stages.find((each) => each.stageSlug === stageSlug)
  return `${project?.name ?? projectSlug} / ${stage?.name ?? stageSlug}`
}

export function isProduction(
  projects: readonly Project[],
  { projectSlug, stageSlug }: { readonly projectSlug: string; readonly stageSlug: string },
): boolean {
  const project = projects.find((each) => each.projectSlug === projectSlug)
  return project?.stages.find((each) => each.stageSlug === stageSlug)?.isProduction === true
}

/** A stage of a project that is created with it. */
export interface NewStage {
  readonly stageSlug: string
  readonly isProduction: boolean
}

/** `stages`: in their order. */
export async function createProject(
  scope: Scope,
  projectSlug: string,
  name: string,
  stages: readonly NewStage[],
): Promise<void> {
  await ask(scope, 'projectCreate', { projectSlug, name, stages: [...stages] })
}

/** `stageSlugs`: all of the project, also the archived ones. */
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

/** Variables of all projects with the part in their names. The last answer stays until the next one is there. */
export const searchQuery = (scope: Scope, part: string) =>
  queryOptions({
    queryKey: ['search', scope.orgSlug, part],
    queryFn: async ({ signal }) => ask(scope, 'search', { query: part, limit: limits.searchResults }, signal),
    placeholderData: keepPreviousData,
  })

/** A change of projects or stages; done when the list shows it. */
export function useProjectChange<Change>(change: (what: Change) => Promise<void>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries(projectsQuery(scope)),
  })
}
