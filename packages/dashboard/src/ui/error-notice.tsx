import { explain } from '../service/error-messages.ts'
import { Notice } from './notice.tsx'

interface ErrorNoticeProps {
  /** Null: nothing is shown. */
  readonly error: unknown
}

export function ErrorNotice({ error }: ErrorNoticeProps) {
  return error !== null && <Notice kind="error">{explain(error)}</Notice>
}
