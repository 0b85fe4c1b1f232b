/** The templates that depend on a variable, in the stages that the table has read. */
import type { Stage } from '@rollkey/sdk/core'
import { useQueries } from '@tanstack/react-query'
import type { StageContents } from '../../../data/variables/comparison.ts'
import { digestsQuery } from '../../../data/variables/queries.ts'
import { useScope } from '../../../session/scope.ts'
import { dependentsIn } from './stage-templates.ts'

export type Places = readonly Pick<Stage, 'stageSlug' | 'name'>[]

export interface ReadStage {
  readonly name: string
  readonly variables: StageContents['variables']
}

/** Returns those of the stages that the table has read, and reads none. */
export function useReadStages(projectSlug: string, stages: Places): readonly ReadStage[] {
  const scope = useScope()
  return useQueries({
    queries: stages.map(({ stageSlug }) => ({
      ...digestsQuery(scope, { projectSlug, stageSlug }),
      enabled: false,
    })),
    combine: (results) =>
      results.flatMap(({ data }, at) => {
        const stage = stages[at]
        return data && stage ? [{ name: stage.name, variables: data.variables }] : []
      }),
  })
}

interface DependentTemplates {
  readonly templates: readonly string[]
  /** Names of the stages that have them. */
  readonly stages: readonly string[]
}

/** Returns the templates that name a variable, themselves or by others, in any of the stages; undefined if there are none. */
export function useDependents(projectSlug: string, name: string, stages: Places): DependentTemplates | undefined {
  const concerned = useReadStages(projectSlug, stages)
    .map((stage) => ({ name: stage.name, templates: dependentsIn(stage.variables, name) }))
    .filter(({ templates }) => templates.length > 0)
  if (concerned.length === 0) return undefined
  return {
    templates: [...new Set(concerned.flatMap(({ templates }) => templates))],
    stages: concerned.map((stage) => stage.name),
  }
}
