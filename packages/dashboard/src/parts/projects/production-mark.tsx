import type { Stage } from '@rollkey/sdk/core'
import { StatusDot } from '../../ui/status.tsx'
import { labels } from './labels.ts'

interface StageLabelProps {
  readonly stage: Stage
}

/** Shows the name of a stage, with a mark if it is production. */
export function StageLabel({ stage }: StageLabelProps) {
  return (
    <>
      {stage.name} <ProductionMark stage={stage} />
    </>
  )
}

/** Marks a production stage. */
export function ProductionMark({ stage: { isProduction } }: StageLabelProps) {
  return isProduction && <StatusDot status="production">{labels.production}</StatusDot>
}
