import { Text } from '@mantine/core'
import { Notice } from '../../ui/notice.tsx'
import type { Fit } from './fit.ts'

interface FitNoticeProps {
  readonly fit: Fit
}

/** Whether what was served fits the chance. The test takes every evaluation for another user's, which they are not. */
export function FitNotice({ fit: { verdict, sentence } }: FitNoticeProps) {
  if (verdict !== 'differs') return <Text>{sentence}</Text>
  return (
    <Notice kind="warning" title="The split does not fit the chance">
      {sentence} These are evaluations, not users: somebody with a seed always gets the same, and counts each time. So a
      few users who are evaluated often can do this. If that is not it, look for clients that send the same seed for
      everybody.
    </Notice>
  )
}
