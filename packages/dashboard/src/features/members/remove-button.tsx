import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { membersQuery, removeMember, type Member } from './members.ts'
import type { Organization } from '../../session/viewer.ts'

interface RemoveButtonProps {
  readonly member: Member
  readonly organization: Organization
}

export function RemoveButton({ member, organization }: RemoveButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => removeMember(organization.id, member.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(membersQuery(organization.id))
      focusHeading()
    },
  })
  const { name, email } = member.user
  return (
    <>
      <Button size="sm" variant="default" aria-label={`Remove ${name}`} onClick={open}>
        Remove
      </Button>
      <ConfirmDialog
        title={`Remove ${name}?`}
        label="Confirm removal"
        mutation={remove}
        opened={isAsking}
        onClose={close}
      >
        {name} ({email}) will no longer be a member of {organization.name}, and their sessions end at once, command-line
        clients included.
      </ConfirmDialog>
    </>
  )
}
