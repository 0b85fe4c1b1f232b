import { Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { resetLink } from './links.ts'
import type { Member } from './queries.ts'
import { labels } from './labels.ts'

interface ResetLinkButtonProps {
  readonly member: Member
}

export function ResetLinkButton({ member }: ResetLinkButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const create = useMutation({ mutationFn: () => resetLink(member.id) })
  const { name } = member.user
  return (
    <>
      <Button size="sm" variant="default" aria-label={labels.reset.buttonOf(name)} onClick={open}>
        {labels.reset.button}
      </Button>
      <Modal opened={isOpen} onClose={close} onExitTransitionEnd={create.reset} title={labels.reset.title(name)}>
        <Stack>
          {create.data ? (
            <CopyField label={labels.reset.link} description={labels.reset.linkUse(name)} value={create.data.url} />
          ) : (
            <>
              <Text>{labels.reset.text(name)}</Text>
              <ErrorNotice error={create.error} />
              <BusyButton isBusy={create.isPending} onClick={() => create.mutate()}>
                {labels.reset.create}
              </BusyButton>
            </>
          )}
        </Stack>
      </Modal>
    </>
  )
}
