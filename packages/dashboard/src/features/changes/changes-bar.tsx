import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { useChanges } from './changes-context.ts'
import { countText } from './change-set.ts'
import classes from './changes-bar.module.css'

/** At the foot of the page, while there is something to save. */
export function ChangesBar() {
  const { pending, takeOut, review } = useChanges()
  const [isAsking, { open, close }] = useDisclosure()
  const isEmpty = pending.length === 0
  const discard = (): void => {
    close()
    takeOut(pending)
    focusHeading()
  }
  return (
    <Group className={isEmpty ? undefined : classes['bar']} justify="space-between">
      <Text role="status" fw={600}>
        {!isEmpty && countText(pending)}
      </Text>
      {!isEmpty && (
        <Group gap="xs">
          <Button size="sm" variant="default" onClick={open}>
            Discard
          </Button>
          <Button size="sm" onClick={review}>
            Review
          </Button>
        </Group>
      )}
      <ConfirmDialog
        title="Discard what is not saved?"
        label={pending.length === 1 ? 'Discard 1 change' : `Discard ${pending.length} changes`}
        mutation={{ mutate: discard, error: null, isPending: false }}
        opened={isAsking}
        onClose={close}
      >
        The stages stay as they are.
      </ConfirmDialog>
    </Group>
  )
}
