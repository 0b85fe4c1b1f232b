import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { Section } from '../../ui/section.tsx'
import { invitationsQuery } from './members.ts'
import type { Organization } from '../../session/viewer.ts'
import { InvitationRow } from './invitation-row.tsx'

interface PendingInvitationsProps {
  readonly organization: Organization
}

export function PendingInvitations({ organization }: PendingInvitationsProps) {
  const { data, error } = useQuery(invitationsQuery(organization.id))
  return (
    <Section title="Pending invitations">
      <ProblemNotice error={error} />
      {!data && !error && <Loading />}
      {data?.length === 0 && <Text c="dimmed">Nobody is invited at the moment.</Text>}
      {data && data.length > 0 && (
        <RecordTable label="Pending invitations" columns={['Email', 'Role', 'Expires', 'Actions']}>
          {data.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} organization={organization} />
          ))}
        </RecordTable>
      )}
    </Section>
  )
}
