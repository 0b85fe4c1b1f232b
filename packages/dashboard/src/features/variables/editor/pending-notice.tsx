import { Notice } from '../../../ui/notice.tsx'
import { effectNames, effectOf, type PendingChange } from '../../changes/change-set.ts'

interface PendingNoticeProps {
  readonly change: PendingChange
}

export function PendingNotice({ change }: PendingNoticeProps) {
  return (
    <Notice kind="info" title={`${effectNames[effectOf(change)]}, not saved`}>
      What is below is what is stored now. Edit to go on with your change; review at the foot of the page to save it or
      to take it out.
    </Notice>
  )
}
