import type { Project } from '@rollkey/sdk/core'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconStage } from '../../ui/icons.ts'
import { labels } from './labels.ts'

interface MissingStageProps {
  readonly project: Project
  /** As the address names it. */
  readonly stageSlug: string | undefined
}

/** Stands in place of a stage that the project does not have, below the choice of stages. */
export function MissingStage({ project, stageSlug = '' }: MissingStageProps) {
  return (
    <EmptyState icon={IconStage} title={labels.stageNotFound(project.name, stageSlug)}>
      {labels.stageNotFoundText}
    </EmptyState>
  )
}
