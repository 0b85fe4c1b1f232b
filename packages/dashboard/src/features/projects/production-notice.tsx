import { Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

interface ProductionNoticeProps {
  /** Name of the stage. */
  readonly stage: string
}

/** Says that an action changes production. Every question about a production stage looks like this. */
export function ProductionNotice({ stage }: ProductionNoticeProps) {
  return <Notice kind="warning">{labels.productionNotice(stage)}</Notice>
}
