import { RecordTable } from '../../ui/record-table.tsx'
import type { Member } from './members.ts'
import type { Organization } from '../../session/viewer.ts'
import { MemberRow } from './member-row.tsx'

interface MembersTableProps {
  readonly members: readonly Member[]
  readonly own: Member
  readonly organization: Organization
}

export function MembersTable({ members, own, organization }: MembersTableProps) {
  return (
    <RecordTable label="Members" columns={['Name', 'Role', 'Joined', 'Actions']}>
      {members.map((member) => (
        <MemberRow key={member.id} member={member} own={own} organization={organization} />
      ))}
    </RecordTable>
  )
}
