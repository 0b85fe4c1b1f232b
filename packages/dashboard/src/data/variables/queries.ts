/** The variables of a stage. Only `reveal` returns secret values, and it does not keep them. */
import type { HistoryChange, Project, Stage, StageSlugs } from '@rollkey/sdk/core'
import type { Digested, RevealedEntry } from '@rollkey/contract'
import { type QueryClient, queryOptions, useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ask, askUnconfirmed, type Scope, useScope } from '../../session/scope.ts'
import { justReadMs } from '../../service/query-client.ts'
import { membersQuery } from '../members.ts'
import { currentStages, projectsQuery } from '../projects/queries.ts'
import { unusedIn, type Uses } from './unused.ts'
import { type Row, rowsOf, type StageContents } from './comparison.ts'
import { stageKey } from '../stages.ts'

export const digestsQuery = (scope: Scope, place: StageSlugs) =>
  queryOptions({
    queryKey: stageKey('digests', scope, place),
    queryFn: async (): Promise<StageContents> => {
      const { variables, revision, valuesHidden } = await ask(scope, 'digests', place)
      return { variables: valuesHidden ? variables.map((each) => ({ ...each, valuesHidden })) : variables, revision }
    },
  })

/** Reads the stages of a project that are not archived. What was just read at the revisions of the list is not read again. */
function stageQueries(scope: Scope, project: Project) {
  const { projectSlug } = project
  return currentStages(project).map(({ stageSlug, revision }) =>
    queryOptions({
      ...digestsQuery(scope, { projectSlug, stageSlug }),
      staleTime: ({ state }) => (state.data?.revision === revision ? justReadMs : 0),
    }),
  )
}

/**
 * Begins to read what the table of a project shows, while the scripts of the page load and the shell around it renders. Never
 * throws: the page asks again for what failed, and shows why.
 */
export async function preloadProject(queryClient: QueryClient, scope: Scope, projectSlug: string): Promise<void> {
  if (scope.organization) void queryClient.prefetchQuery(membersQuery(scope.organization.id))
  const projects = await queryClient.fetchQuery(projectsQuery(scope)).catch(() => [])
  const project = projects.find((each) => each.projectSlug === projectSlug)
  if (project) await Promise.all(stageQueries(scope, project).map((query) => queryClient.prefetchQuery(query)))
}

/** Reads the values that people see without revealing them. They are not secret, so they may stay in the page's memory. */
export const plainQuery = (scope: Scope, place: StageSlugs) =>
  queryOptions({
    queryKey: stageKey('plain', scope, place),
    queryFn: async (): Promise<readonly RevealedEntry[]> => (await askUnconfirmed(scope, 'plain', place)).variables,
  })

/** Reads on which day each variable was last evaluated. Few look at it, so the table does not read it. */
export const usesQuery = (scope: Scope, place: StageSlugs) =>
  queryOptions({
    queryKey: stageKey('uses', scope, place),
    queryFn: async (): Promise<Uses> => {
      const { variables } = await ask(scope, 'list', place)
      return { variables, readAtMs: Date.now() }
    },
  })

/** Returns the names of the variables that no stage has used for 30 days; none until it is known. `enabled`: whether to read it. */
export function useUnused(project: Project, enabled: boolean): ReadonlySet<string> {
  const scope = useScope()
  const { projectSlug } = project
  const uses = useQueries({
    queries: currentStages(project).map(({ stageSlug }) => ({
      ...usesQuery(scope, { projectSlug, stageSlug }),
      enabled,
    })),
    combine: dataOf,
  })
  return useMemo(() => unusedIn(uses), [uses])
}

function dataOf<Data>(results: readonly { readonly data: Data | undefined }[]): readonly (Data | undefined)[] {
  return results.map(({ data }) => data)
}

/** Maximum number of shown changes of a variable. */
const shownChanges = 5

export const changesQuery = (scope: Scope, place: StageSlugs, name: string) =>
  queryOptions({
    queryKey: stageKey('changes', scope, place, name),
    queryFn: async (): Promise<readonly HistoryChange[]> =>
      (await ask(scope, 'history', { ...place, name, limit: shownChanges })).changes,
  })

/** Returns the values of one variable, which the audit log records. */
export async function reveal(scope: Scope, place: StageSlugs, name: string): Promise<RevealedEntry> {
  const { variables } = await ask(scope, 'reveal', { ...place, names: [name] })
  const [variable] = variables
  if (!variable) throw new Error('The answer has no variable.')
  return variable
}

/** A variable in a stage. */
export interface VariableInStage {
  readonly stage: Stage
  /** Absent: the stage does not have it. */
  readonly variable: Digested | undefined
  /** The revision of the stage at which it was read. */
  readonly revision: number
}

interface ReadStages {
  /** Undefined until all stages are read. */
  readonly stages: readonly { readonly stage: Stage; readonly contents: StageContents }[] | undefined
  readonly error: Error | null
}

/** Returns the stages of a project that are not archived, with their variables as the table shows them. */
export function useStageContents(project: Project): ReadStages {
  const scope = useScope()
  const stages = currentStages(project)
  return useQueries({
    // The table reads the stages, so they are not read again here.
    queries: stageQueries(scope, project).map((query) => ({ ...query, refetchOnMount: false })),
    combine: (results) => {
      const read = results.flatMap(({ data: contents }, at) => {
        const stage = stages[at]
        return contents && stage ? [{ stage, contents }] : []
      })
      return {
        stages: read.length === stages.length ? read : undefined,
        error: results.find((result) => result.error)?.error ?? null,
      }
    },
  })
}

/** Returns a variable in each of the stages. */
export function inStages(stages: NonNullable<ReadStages['stages']>, name: string): readonly VariableInStage[] {
  return stages.map(({ stage, contents: { variables, revision } }) => ({
    stage,
    variable: variables.find((each) => each.name === name),
    revision,
  }))
}

interface Comparison {
  /** Undefined until every stage is read. */
  readonly rows: readonly Row[] | undefined
  readonly error: Error | null
}

/** Returns the stages of a project that are not archived, side by side. */
export function useComparison(project: Project): Comparison {
  const scope = useScope()
  const { stages, error } = useQueries({
    queries: stageQueries(scope, project),
    combine: (results) => ({
      stages: results.map(({ data }) => data?.variables),
      error: results.find((result) => result.error)?.error ?? null,
    }),
  })
  const rows = useMemo(() => {
    const known = stages.filter((variables) => variables !== undefined)
    return known.length === stages.length ? rowsOf(known) : undefined
  }, [stages])
  // The former rows stay while a new stage is read.
  const [latest, setLatest] = useState(rows)
  if (rows && rows !== latest) setLatest(rows)
  return { rows: rows ?? latest, error }
}
