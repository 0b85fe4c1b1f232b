import { useQuery } from '@tanstack/react-query'
import { CopyField } from '../../ui/copy-field.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { invitationLinkQuery } from './links.ts'
import type { PendingInvitation } from './queries.ts'
import { labels } from './labels.ts'

interface InvitationLinkProps {
  readonly invitation: PendingInvitation
}

export function InvitationLink({ invitation: { id, email } }: InvitationLinkProps) {
  const { data, error } = useQuery(invitationLinkQuery(id))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  return <CopyField label={labels.invite.link} description={labels.invite.linkUse(email)} value={data.url} />
}
