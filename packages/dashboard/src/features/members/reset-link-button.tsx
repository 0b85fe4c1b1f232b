import { Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { resetLink } from './links.ts'
import type { Member } from './members.ts'

interface ResetLinkButtonProps {
  readonly member: Member
}

export function ResetLinkButton({ member }: ResetLinkButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const create = useMutation({ mutationFn: () => resetLink(member.id) })
  const { name } = member.user
  return (
    <>
      <Button size="sm" variant="default" aria-label={`Reset password of ${name}`} onClick={open}>
        Reset password
      </Button>
      <Modal opened={isOpen} onClose={close} onExitTransitionEnd={create.reset} title={`A new password for ${name}`}>
        <Stack>
          {create.data ? (
            <CopyField
              label="Reset link"
              description={`Give it to ${name} alone, over a channel that you trust: whoever opens it sets the password. It works once, for 1 hour.`}
              value={create.data.url}
            />
          ) : (
            <>
              <Text>
                Create a link by which {name} sets a new password. The old one works until then; afterwards {name} is
                signed out everywhere.
              </Text>
              <ErrorNotice error={create.error} />
              <BusyButton isBusy={create.isPending} onClick={() => create.mutate()}>
                Create reset link
              </BusyButton>
            </>
          )}
        </Stack>
      </Modal>
    </>
  )
}
