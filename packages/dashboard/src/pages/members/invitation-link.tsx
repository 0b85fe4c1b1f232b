import { useQuery } from '@tanstack/react-query'
import { CopyField } from '../../components/copy-field.tsx'
import { Loading } from '../../components/loading.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { invitationLinkQuery } from '../../identity/links.ts'
import type { PendingInvitation } from '../../identity/members.ts'

interface InvitationLinkProps {
  readonly invitation: PendingInvitation
}

export function InvitationLink({ invitation: { id, email } }: InvitationLinkProps) {
  const { data, error } = useQuery(invitationLinkQuery(id))
  if (!data) return error ? <ProblemNotice error={error} /> : <Loading />
  return (
    <CopyField
      label="Invitation link"
      description={`Give it to ${email} alone: whoever opens it can join as them. It works once, for 48 hours.`}
      value={data.url}
    />
  )
}
