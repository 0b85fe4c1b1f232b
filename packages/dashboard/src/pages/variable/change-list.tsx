import { Stack, Text } from '@mantine/core'
import { TimeText } from '../../components/time-text.tsx'
import { useAuthorText } from '../../hooks/use-author-text.ts'
import type { Change } from '../../variables/change.ts'
import { changeWords } from '../../variables/words.ts'

interface ChangeListProps {
  readonly changes: readonly Change[]
}

export function ChangeList({ changes }: ChangeListProps) {
  const authorText = useAuthorText()
  return (
    <Stack component="ul" className="plain-list wrapping" gap="xs">
      {changes.map((change) => (
        <li key={change.revision}>
          <Text size="sm">
            {changeWords[change.change]} by {authorText(change)}
          </Text>
          <Text size="sm" c="dimmed">
            <TimeText ms={change.writtenAtMs} />
          </Text>
        </li>
      ))}
    </Stack>
  )
}
