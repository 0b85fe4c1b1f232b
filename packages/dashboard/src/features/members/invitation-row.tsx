import { Button, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { roleNames } from '../../lib/roles.ts'
import { focusHeading } from '../../ui/focus-heading.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { cancelInvitation, invitationsQuery, type PendingInvitation } from './queries.ts'
import type { Organization } from '../../session/viewer.ts'
import { InvitationLink } from './invitation-link.tsx'
import { labels } from './labels.ts'
import { toast } from '../../ui/toast.ts'

interface InvitationRowProps {
  readonly invitation: PendingInvitation
  readonly organization: Organization
}

export function InvitationRow({ invitation, organization }: InvitationRowProps) {
  const { email, role, expiresAt } = invitation
  const [isLinkShown, { open, close }] = useDisclosure()
  const [isAsking, { open: ask, close: stopAsking }] = useDisclosure()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelInvitation(invitation.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(invitationsQuery(organization.id))
      toast.success(labels.invitations.cancelled(email))
      focusHeading()
    },
  })
  return (
    <RecordRow>
      <RecordCell>{email}</RecordCell>
      <RecordCell label={labels.role}>{roleNames[role]}</RecordCell>
      <RecordCell label={labels.invitations.expires}>
        <TimeText ms={expiresAt.getTime()} />
      </RecordCell>
      <RecordCell>
        <Group gap="xs">
          <Button size="sm" variant="default" aria-label={labels.invitations.showLinkOf(email)} onClick={open}>
            {labels.invitations.showLink}
          </Button>
          <Button size="sm" variant="default" aria-label={labels.invitations.cancelOf(email)} onClick={ask}>
            {labels.invitations.cancel}
          </Button>
        </Group>
        <ConfirmDialog
          title={labels.invitations.cancelTitle(email)}
          label={labels.invitations.cancelConfirm}
          mutation={cancel}
          opened={isAsking}
          onClose={stopAsking}
        >
          {labels.invitations.cancelText}
        </ConfirmDialog>
        <Modal opened={isLinkShown} onClose={close} title={labels.invitations.linkTitle(email)}>
          <InvitationLink invitation={invitation} />
        </Modal>
      </RecordCell>
    </RecordRow>
  )
}
