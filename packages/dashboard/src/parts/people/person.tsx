import { Group, Text } from '@mantine/core'
import { Avatar } from '../../ui/name.tsx'
import { labels } from './labels.ts'

interface PersonProps {
  readonly name: string
  readonly email?: string
  readonly isViewer?: boolean
}

/** Shows a person with avatar, name and, if known, email address. */
export function Person({ name, email, isViewer = false }: PersonProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Avatar name={name} />
      <div>
        <Text fw={500}>{isViewer ? labels.you(name) : name}</Text>
        {email !== undefined && (
          <Text size="sm" c="dimmed" className="wrapping">
            {email}
          </Text>
        )}
      </div>
    </Group>
  )
}
