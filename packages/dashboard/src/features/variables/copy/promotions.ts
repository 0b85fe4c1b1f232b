/** Promotion: what one stage has goes to the next one in the order of the project. */
import type { Project, Stage } from '@rollkey/sdk/core'
import { useNavigate } from '@tanstack/react-router'
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

/** Returns how to open the comparison of two stages, by their slugs, with what a copy begins with. */
export function useOpenCopy(projectSlug: string) {
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  return (from: string, to: string, copied: 'missing' | readonly string[]): void =>
    void navigate({ to: './p/$projectSlug/compare', params: { projectSlug }, search: { from, to }, state: { copied } })
}

/** Returns the stage to which variables of another one usually go, in the order of the project: the next one, or else the one before. */
export function nextStage(targets: readonly Stage[], { stageSlug }: Stage): Stage | undefined {
  const at = targets.findIndex((target) => target.stageSlug === stageSlug)
  return targets[at + 1] ?? targets[at - 1]
}
