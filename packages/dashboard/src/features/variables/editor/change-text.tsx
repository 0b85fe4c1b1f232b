import { Text } from '@mantine/core'
import { TimeText } from '../../../ui/time-text.tsx'
import { useAuthorText } from '../../history/use-author-text.ts'
import type { Change } from '../change.ts'
import { changeWords } from '../labels.ts'

interface ChangeTextProps {
  readonly change: Change
}

/** What was done, by whom, with what and when. */
export function ChangeText({ change }: ChangeTextProps) {
  const authorText = useAuthorText()
  return (
    <>
      <Text size="sm">
        {changeWords[change.change]} by {authorText(change)}
      </Text>
      <Text size="sm" c="dimmed">
        <TimeText ms={change.writtenAtMs} />
      </Text>
    </>
  )
}
