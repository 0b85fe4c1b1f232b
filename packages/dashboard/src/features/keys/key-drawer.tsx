import type { ClientKey } from '@rollkey/sdk/core'
import { Stack, Text } from '@mantine/core'
import { useSettings } from '../../session/settings.ts'
import { CodeSnippet, CopyField } from '../../ui/copy.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { keySnippets } from './key-snippets.ts'
import { labels } from './labels.ts'

interface KeyDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly shown: ClientKey | undefined
  readonly onClose: () => void
}

/** Shows a key, and how programs use it. */
export function KeyDrawer({ shown, onClose }: KeyDrawerProps) {
  const { publicUrl } = useSettings()
  const words = labels.show
  return (
    <Drawer opened={shown !== undefined} onClose={onClose} title={shown?.name}>
      {shown && (
        <Stack>
          <CopyField label={words.key} description={words.keyUse} value={shown.key} />
          <Text>{words.sees}</Text>
          <Text>{words.use}</Text>
          <CodeSnippet what={words.purpose} code={keySnippets({ publicUrl, key: shown.key })} />
        </Stack>
      )}
    </Drawer>
  )
}
