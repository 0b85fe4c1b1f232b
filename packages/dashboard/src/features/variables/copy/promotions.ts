/** Promotion: what one stage has goes to the next one in the order of the project. */
import type { Project, Stage } from '@rollkey/sdk/core'
import { useMay } from '../../../session/permissions.ts'
import { currentStages } from '../../../data/projects/queries.ts'

export interface Promotion {
  readonly from: Stage
  readonly to: Stage
}

/** Returns the promotions that the viewer may make or propose, in the order of the project. */
export function usePromotions(project: Project): readonly Promotion[] {
  const may = useMay()
  const { projectSlug, archivedAtMs } = project
  if (archivedAtMs !== undefined) return []
  const stages = currentStages(project)
  return stages.flatMap((from, at) => {
    const to = stages[at + 1]
    // What production has is where a promotion ends.
    if (!to || (from.isProduction && !to.isProduction)) return []
    const mayRead = may('read', { projectSlug, stageSlug: from.stageSlug })
    return mayRead && may('write', { projectSlug, stageSlug: to.stageSlug }) ? [{ from, to }] : []
  })
}
