import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { BusyButton } from './busy-button.tsx'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

interface ConfirmDialogProps {
  readonly title: string
  /** What will happen. */
  readonly children: ReactNode
  /** Of the button that does it. */
  readonly label: string
  /** The button that closes the dialog. @default 'Cancel' */
  readonly cancelLabel?: string
  readonly mutation: { mutate(): void; readonly error: unknown; readonly isPending: boolean }
  readonly opened: boolean
  readonly onClose: () => void
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, label, cancelLabel = 'Cancel', mutation, opened, onClose } = props
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      // By itself it would also take the very Escape that asked for it.
      closeOnEscape={false}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <Stack>
        <Text>{children}</Text>
        <ErrorNotice error={mutation.error} />
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            {cancelLabel}
          </Button>
          <BusyButton color="red" isBusy={mutation.isPending} onClick={() => mutation.mutate()}>
            {label}
          </BusyButton>
        </Group>
      </Stack>
    </Modal>
  )
}
