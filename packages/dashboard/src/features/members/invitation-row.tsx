import { Button, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { roleNames } from '../../lib/roles.ts'
import { focusHeading } from '../../ui/focus-heading.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { cancelInvitation, invitationsQuery, type PendingInvitation } from './members.ts'
import type { Organization } from '../../session/viewer.ts'
import { InvitationLink } from './invitation-link.tsx'

interface InvitationRowProps {
  readonly invitation: PendingInvitation
  readonly organization: Organization
}

export function InvitationRow({ invitation, organization }: InvitationRowProps) {
  const [isLinkShown, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelInvitation(invitation.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(invitationsQuery(organization.id))
      focusHeading()
    },
  })
  const { email, role, expiresAt } = invitation
  return (
    <RecordRow>
      <RecordCell>{email}</RecordCell>
      <RecordCell label="Role">{roleNames[role]}</RecordCell>
      <RecordCell label="Expires">
        <TimeText ms={expiresAt.getTime()} />
      </RecordCell>
      <RecordCell>
        <Group gap="xs">
          <Button size="sm" variant="default" aria-label={`Show link for ${email}`} onClick={open}>
            Show link
          </Button>
          <BusyButton
            size="sm"
            variant="default"
            aria-label={`Cancel invitation of ${email}`}
            isBusy={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </BusyButton>
        </Group>
        <ErrorNotice error={cancel.error} />
        <Modal opened={isLinkShown} onClose={close} title={`Invitation of ${email}`}>
          <InvitationLink invitation={invitation} />
        </Modal>
      </RecordCell>
    </RecordRow>
  )
}
