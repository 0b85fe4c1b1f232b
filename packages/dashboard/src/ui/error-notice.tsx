import { explain } from '../service/error-messages.ts'
import { Notice } from './notice.tsx'

interface ProblemNoticeProps {
  /** Null: nothing is shown. */
  readonly error: unknown
}

export function ProblemNotice({ error }: ProblemNoticeProps) {
  return error !== null && <Notice kind="error">{explain(error)}</Notice>
}
