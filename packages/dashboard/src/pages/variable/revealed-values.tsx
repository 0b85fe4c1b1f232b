import { Group, Stack, Text } from '@mantine/core'
import type { WriteEntry } from '@rollkey/contract'
import { BusyButton } from '../../components/busy-button.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { EntryValues } from './entry-values.tsx'

interface RevealedValuesProps {
  /** Undefined: the values are hidden. */
  readonly entry: WriteEntry | undefined
  readonly hide: () => void
  readonly request: { mutate(): void; readonly error: unknown; readonly isPending: boolean }
}

export function RevealedValues({ entry, hide, request }: RevealedValuesProps) {
  return (
    <Stack gap="xs">
      {entry && <EntryValues entry={entry} />}
      <Group>
        <BusyButton variant="default" isBusy={request.isPending} onClick={entry ? hide : () => request.mutate()}>
          {entry ? 'Hide' : 'Reveal'}
        </BusyButton>
        <Text size="sm" c="dimmed" flex={1}>
          {entry ? 'It hides itself after 30 seconds.' : 'Shows what is stored. The audit log tells who looked.'}
        </Text>
      </Group>
      <ProblemNotice error={request.error} />
    </Stack>
  )
}
