import { useQuery } from '@tanstack/react-query'
import { manages } from '../../lib/roles.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { Section } from '../../ui/section.tsx'
import { membersQuery } from './members.ts'
import type { EmbeddedViewer, Organization } from '../../session/viewer.ts'
import { InviteButton } from './invite-button.tsx'
import { MembersTable } from './members-table.tsx'
import { PendingInvitations } from './pending-invitations.tsx'

interface OrganizationMembersProps {
  readonly viewer: EmbeddedViewer
  readonly organization: Organization
}

export function OrganizationMembers({ viewer, organization }: OrganizationMembersProps) {
  const members = useQuery(membersQuery(organization.id))
  const own = members.data?.find(({ userId }) => userId === viewer.userId)
  if (!members.data || !own) {
    return <Page title="Members">{members.error ? <ProblemNotice error={members.error} /> : <Loading />}</Page>
  }
  return (
    <Page title="Members" lead={`${organization.name}: its people, and who is invited.`}>
      <Section title="People">
        <MembersTable members={members.data} own={own} organization={organization} />
        {manages(own.role) && <InviteButton organization={organization} ownRole={own.role} />}
      </Section>
      {manages(own.role) && <PendingInvitations organization={organization} />}
    </Page>
  )
}
