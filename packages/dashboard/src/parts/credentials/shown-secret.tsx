import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyField } from '../../ui/copy.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'

interface ShownSecretProps {
  readonly title: string
  /** What happened, and that the secret is not shown again. */
  readonly text: string
  readonly label: string
  readonly secret: string
  /** Text of the button that ends it. */
  readonly done: string
  readonly onDone: () => void
  /** How it is used. */
  readonly children: ReactNode
}

function stay(): void {}

/** Shows a secret until the person says that they saved it. Nothing else closes it, because no one can see it again. */
export function ShownSecret({ title, text, label, secret, done, onDone, children }: ShownSecretProps) {
  return (
    <Modal opened onClose={stay} size="lg" title={title} closeOnEscape={false} withCloseButton={false}>
      <Stack>
        <Notice kind="success">{text}</Notice>
        <CopyField label={label} value={secret} />
        {children}
        <Group justify="flex-end">
          <Button onClick={onDone}>{done}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
