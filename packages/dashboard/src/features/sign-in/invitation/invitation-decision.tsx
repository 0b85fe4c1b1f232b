import { Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { ButtonLink } from '../../../ui/button-link.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { useViewerChange } from '../../../session/use-viewer-change.ts'
import { acceptInvitation, declineInvitation } from '../../members/links.ts'

interface InvitationDecisionProps {
  readonly id: string
}

export function InvitationDecision({ id }: InvitationDecisionProps) {
  const viewerChanged = useViewerChange()
  const accept = useMutation({ mutationFn: () => acceptInvitation(id), onSuccess: () => viewerChanged('/') })
  const decline = useMutation({ mutationFn: () => declineInvitation(id) })
  if (decline.isSuccess) {
    return (
      <>
        <Notice kind="success">You declined the invitation.</Notice>
        <ButtonLink to="/" variant="default">
          Go to the start page
        </ButtonLink>
      </>
    )
  }
  return (
    <>
      <Text>Accept to become a member. You can leave the organization at any time.</Text>
      <ProblemNotice error={accept.error ?? decline.error} />
      <Group grow>
        <BusyButton isBusy={accept.isPending} onClick={() => accept.mutate()}>
          Accept invitation
        </BusyButton>
        <BusyButton variant="default" isBusy={decline.isPending} onClick={() => decline.mutate()}>
          Decline
        </BusyButton>
      </Group>
    </>
  )
}
