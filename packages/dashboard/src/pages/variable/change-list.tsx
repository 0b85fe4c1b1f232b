import { Stack, Text } from '@mantine/core'
import { TimeText } from '../../components/time-text.tsx'
import { usePersonName } from '../../hooks/use-person-name.ts'
import type { Change } from '../../variables/stage.ts'

interface ChangeListProps {
  readonly changes: readonly Change[]
}

const words: Readonly<Record<Change['change'], string>> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted',
  restored: 'Restored',
}

export function ChangeList({ changes }: ChangeListProps) {
  const personName = usePersonName()
  return (
    <Stack component="ul" className="plain-list wrapping" gap="xs">
      {changes.map(({ revision, change, writtenBy, writtenAtMs, client }) => (
        <li key={revision}>
          <Text size="sm">
            {words[change]} by {personName(writtenBy)}
            {client !== undefined && ` · ${client}`}
          </Text>
          <Text size="sm" c="dimmed">
            <TimeText ms={writtenAtMs} />
          </Text>
        </li>
      ))}
    </Stack>
  )
}
