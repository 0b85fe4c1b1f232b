import { useQuery } from '@tanstack/react-query'
import { CopyField } from '../../ui/copy-field.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { invitationLinkQuery } from './links.ts'
import type { PendingInvitation } from './members.ts'

interface InvitationLinkProps {
  readonly invitation: PendingInvitation
}

export function InvitationLink({ invitation: { id, email } }: InvitationLinkProps) {
  const { data, error } = useQuery(invitationLinkQuery(id))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  return (
    <CopyField
      label="Invitation link"
      description={`Give it to ${email} alone: whoever opens it can join as them. It works once, for 48 hours.`}
      value={data.url}
    />
  )
}
