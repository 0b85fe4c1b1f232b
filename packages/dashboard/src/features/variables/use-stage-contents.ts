import type { Digested } from '@rollkey/contract'
import { useQueries } from '@tanstack/react-query'
import { useScope } from '../../session/use-scope.ts'
import { currentStages, type Project, type Stage } from '../projects/queries.ts'
import type { StageContents } from './comparison.ts'
import { digestsQuery } from './queries.ts'

/** A variable in a stage. */
export interface VariableInStage {
  readonly stage: Stage
  /** Absent: the stage does not have it. */
  readonly variable: Digested | undefined
  /** The revision of the stage as of which this is so. */
  readonly revision: number
}

interface ReadStages {
  /** Undefined until all stages are read. */
  readonly stages: readonly { readonly stage: Stage; readonly contents: StageContents }[] | undefined
  readonly error: Error | null
}

/** Returns the stages of a project that are in use, with their variables as the table shows them. */
export function useStageContents(project: Project): ReadStages {
  const scope = useScope()
  const { projectSlug } = project
  const stages = currentStages(project)
  return useQueries({
    // The table reads the stages, so they are not read again here.
    queries: stages.map(({ stageSlug }) => ({
      ...digestsQuery(scope, { projectSlug, stageSlug }),
      refetchOnMount: false,
    })),
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
