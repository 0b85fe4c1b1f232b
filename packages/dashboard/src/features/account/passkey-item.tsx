import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { absoluteDate } from '../../lib/time.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { deletePasskey, passkeysQuery, type Passkey } from './passkeys-client.ts'

interface PasskeyItemProps {
  readonly passkey: Passkey
  readonly userId: string
}

export function PasskeyItem({ passkey, userId }: PasskeyItemProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deletePasskey(passkey.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(passkeysQuery(userId))
      focusHeading()
    },
  })
  const name = passkey.name ?? 'A passkey without a name'
  return (
    <Group component="li" justify="space-between" className="wrapping">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          Added on {absoluteDate(passkey.createdAt.getTime())}
        </Text>
      </div>
      <Button size="sm" variant="default" aria-label={`Delete ${name}`} onClick={open}>
        Delete
      </Button>
      <ConfirmDialog
        title={`Delete ${name}?`}
        label="Confirm deletion"
        mutation={remove}
        opened={isAsking}
        onClose={close}
      >
        You can no longer sign in with this passkey. Your other ways to sign in stay as they are.
      </ConfirmDialog>
    </Group>
  )
}
