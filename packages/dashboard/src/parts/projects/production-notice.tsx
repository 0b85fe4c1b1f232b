import { Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

interface ProductionNoticeProps {
  /** Name of the stage. */
  readonly stage: string
  /** Whether the service makes the change later, by itself. @default false */
  readonly isLater?: boolean
}

/** Says that an action changes production. Every question about a production stage looks like this. */
export function ProductionNotice({ stage, isLater = false }: ProductionNoticeProps) {
  return <Notice kind="warning">{isLater ? labels.productionLater(stage) : labels.productionNotice(stage)}</Notice>
}
