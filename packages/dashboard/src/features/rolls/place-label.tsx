import { StatusDot } from '../../ui/status.tsx'
import type { Stage } from '../projects/queries.ts'
import { labels } from './labels.ts'

interface StageLabelProps {
  readonly stage: Stage
}

/** The name of a stage, with the mark of production. */
export function StageLabel({ stage: { name, isProduction } }: StageLabelProps) {
  return (
    <>
      {name} {isProduction && <StatusDot status="production">{labels.production}</StatusDot>}
    </>
  )
}
