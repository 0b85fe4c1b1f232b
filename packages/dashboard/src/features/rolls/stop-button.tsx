import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconStop } from '../../ui/icons.ts'
import { StatusBadge } from '../../ui/status.tsx'
import { labels } from './labels.ts'
import { useStop, type Stoppable } from './stop.ts'

interface StopButtonProps {
  readonly roll: Stoppable
  /** Whether it stands in a row of a list. @default false */
  readonly isInRow?: boolean
}

/** Stops a roll after one question. */
export function StopButton({ roll, isInRow = false }: StopButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const stop = useStop(roll, close)
  const { name, stageName, isProduction, chance } = roll
  return (
    <>
      <Button
        variant={isInRow ? 'subtle' : 'outline'}
        color="red"
        size={isInRow ? 'xs' : 'sm'}
        leftSection={!isInRow && <IconStop />}
        aria-label={labels.stopOf(name, stageName)}
        onClick={open}
      >
        {labels.stop}
      </Button>
      <ConfirmDialog
        title={labels.stopTitle(name, stageName)}
        label={labels.stopButton}
        mutation={stop}
        opened={isAsking}
        onClose={close}
      >
        <Stack gap="xs" align="flex-start">
          <Text>{labels.stopText(chance)}</Text>
          {isProduction && <StatusBadge status="production">{labels.stopProduction}</StatusBadge>}
        </Stack>
      </ConfirmDialog>
    </>
  )
}
