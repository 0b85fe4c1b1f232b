import { Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

interface ProductionNoticeProps {
  /** Name of the stage. */
  readonly stage: string
  /** Whether the service makes the change later, by itself. @default false */
  readonly isLater?: boolean
  /** Whether the question itself says when applications get the change. @default false */
  readonly isShort?: boolean
}

/** Says that an action changes production. Every question about a production stage looks like this. */
export function ProductionNotice({ stage, isLater = false, isShort = false }: ProductionNoticeProps) {
  const text = isShort ? labels.isProduction : isLater ? labels.productionLater : labels.productionNotice
  return <Notice kind="warning">{text(stage)}</Notice>
}
