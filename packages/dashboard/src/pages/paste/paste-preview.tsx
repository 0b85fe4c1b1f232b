import { Group, Stack, Text, Title } from '@mantine/core'
import type { Paste } from '../../variables/paste.ts'

interface PastePreviewProps {
  readonly pastes: readonly Paste[]
}

export function PastePreview({ pastes }: PastePreviewProps) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        What saving does
      </Title>
      <Stack component="ul" className="plain-list wrapping" gap={4}>
        {pastes.map(({ entry: { name }, effect }) => (
          <Group component="li" key={name} justify="space-between">
            <bdi>{name}</bdi>
            <Text size="sm" c="dimmed">
              {effect}
            </Text>
          </Group>
        ))}
      </Stack>
      <Text size="sm" c="dimmed">
        All is saved at once, or nothing. What else is in the stage stays, and so do declared types.
      </Text>
    </Stack>
  )
}
