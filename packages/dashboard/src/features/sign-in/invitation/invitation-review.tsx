import { useQuery } from '@tanstack/react-query'
import { roleNames } from '../../../lib/roles.ts'
import { Loading } from '../../../ui/loading.tsx'
import { Page } from '../../../ui/page.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { invitationQuery } from '../../members/links.ts'
import { viewerQuery } from '../../../session/viewer.ts'
import { InvitationAnswer } from './invitation-answer.tsx'

interface InvitationReviewProps {
  readonly id: string
}

export function InvitationReview({ id }: InvitationReviewProps) {
  const invitation = useQuery(invitationQuery(id))
  const viewer = useQuery(viewerQuery('embedded'))
  if (!invitation.data || viewer.data === undefined) {
    const error = invitation.error ?? viewer.error
    return <Page title="Invitation">{error ? <ProblemNotice error={error} /> : <Loading />}</Page>
  }
  const { organizationName, inviterName, role } = invitation.data
  const inviter = inviterName === '' ? 'You are invited' : `${inviterName} invites you`
  return (
    <Page title={`Join ${organizationName}`} lead={`${inviter} to ${organizationName} as: ${roleNames[role]}.`}>
      <InvitationAnswer id={id} invitation={invitation.data} viewer={viewer.data} />
    </Page>
  )
}
