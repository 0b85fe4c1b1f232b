import { Stack, Text } from '@mantine/core'
import { EffectList } from '../../components/effect-list.tsx'
import type { Paste } from '../../variables/paste.ts'

interface PastePreviewProps {
  readonly pastes: readonly Paste[]
}

export function PastePreview({ pastes }: PastePreviewProps) {
  const effects = pastes.map(({ entry: { name }, effect }) => ({ name, words: effect }))
  return (
    <Stack gap="xs">
      <EffectList title="What saving does" effects={effects} />
      <Text size="sm" c="dimmed">
        All is saved at once, or nothing. What else is in the stage stays, and so do declared types.
      </Text>
    </Stack>
  )
}
