import { Group, Stack, Text } from '@mantine/core'
import type { WriteEntry } from '@rollkey/contract'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { EntryValues } from './entry-values.tsx'

interface RevealedValuesProps {
  /** Undefined: the values are hidden. */
  readonly entry: WriteEntry | undefined
  readonly hide: () => void
  /** Whether that is because they are not what they were. */
  readonly wasChanged: boolean
  readonly request: { mutate(): void; readonly error: unknown; readonly isPending: boolean }
}

export function RevealedValues({ entry, hide, wasChanged, request }: RevealedValuesProps) {
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
      <Text role="status" size="sm">
        {wasChanged && 'It was changed just now, so what you saw is hidden. Reveal it to see what it is.'}
      </Text>
      <ProblemNotice error={request.error} />
    </Stack>
  )
}
