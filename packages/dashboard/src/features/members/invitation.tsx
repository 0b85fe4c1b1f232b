import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Organization } from '../../session/viewer.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { TextLink } from '../../ui/buttons.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { RowsSkeleton } from '../../ui/loading.tsx'
import { toast } from '../../ui/toast.tsx'
import { labels } from './labels.ts'
import { projectsQuery } from '../../data/projects/queries.ts'
import { useScope } from '../../session/scope.ts'
import { cancelInvitation, invitationsQuery, type PendingInvitation } from '../../data/members.ts'
import { Modal } from '../../ui/dialog.tsx'
import { invitationLinkQuery } from '../../data/links.ts'

interface InvitationActionsProps {
  readonly invitation: PendingInvitation
  readonly organization: Organization
}

export function InvitationActions({ invitation, organization }: InvitationActionsProps) {
  const [isLinkShown, link] = useDisclosure()
  const [isAsking, question] = useDisclosure()
  const queryClient = useQueryClient()
  const { email } = invitation
  const cancel = useMutation({
    mutationFn: () => cancelInvitation(invitation.id),
    onSuccess: async () => {
      question.close()
      await queryClient.invalidateQueries(invitationsQuery(organization.id))
      toast.success(labels.invitations.canceled(email))
    },
  })
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button variant="subtle" color="gray" aria-label={labels.invitations.showLinkOf(email)} onClick={link.open}>
        {labels.invitations.showLink}
      </Button>
      <Button variant="subtle" color="gray" aria-label={labels.invitations.cancelOf(email)} onClick={question.open}>
        {labels.invitations.cancel}
      </Button>
      <ConfirmDialog
        title={labels.invitations.cancelTitle(email)}
        label={labels.invitations.cancelConfirm}
        cancelLabel={labels.invitations.keep}
        mutation={cancel}
        opened={isAsking}
        onClose={question.close}
      >
        {labels.invitations.cancelText}
      </ConfirmDialog>
      <Modal opened={isLinkShown} onClose={link.close} title={labels.invitations.linkTitle(email)}>
        <InvitationLink invitation={invitation} />
      </Modal>
    </Group>
  )
}

interface InvitationLinkProps {
  readonly invitation: PendingInvitation
}

export function InvitationLink({ invitation: { id, email } }: InvitationLinkProps) {
  const { data, error } = useQuery(invitationLinkQuery(id))
  if (!data) return error ? <ErrorNotice error={error} /> : <RowsSkeleton rows={2} />
  return <CopyField label={labels.invite.link} description={labels.invite.linkUse(email)} value={data.url} />
}

/** Leads to where someone gets a role on a protected stage, which no invitation gives. */
export function ProtectedStageLinks() {
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  return projects
    .filter(({ stages }) => stages.some(({ isProtected }) => isProtected))
    .map(({ projectSlug, name }) => (
      <TextLink key={projectSlug} from="/o/$orgSlug" to="./p/$projectSlug/access" params={{ projectSlug }}>
        {labels.invite.protectedStages(name)}
      </TextLink>
    ))
}
