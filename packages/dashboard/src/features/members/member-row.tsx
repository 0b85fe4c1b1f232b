import { Group, Text } from '@mantine/core'
import { mayManage, roleNames } from '../../lib/roles.ts'
import { absoluteDate } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import type { Member } from './members.ts'
import type { Organization } from '../../session/viewer.ts'
import { LeaveButton } from './leave-button.tsx'
import { RemoveButton } from './remove-button.tsx'
import { ResetLinkButton } from './reset-link-button.tsx'
import { RoleSelect } from './role-select.tsx'

interface MemberRowProps {
  readonly member: Member
  /** The viewer's own membership. */
  readonly own: Member
  readonly organization: Organization
}

export function MemberRow({ member, own, organization }: MemberRowProps) {
  const isOwn = member.id === own.id
  const isManaged = !isOwn && mayManage(own.role, member.role)
  return (
    <RecordRow>
      <RecordCell>
        <Text fw={600}>
          {member.user.name}
          {isOwn && ' (you)'}
        </Text>
        <Text size="sm" c="dimmed">
          {member.user.email}
        </Text>
      </RecordCell>
      <RecordCell label="Role">
        {isManaged ? (
          <RoleSelect member={member} ownRole={own.role} organization={organization} />
        ) : (
          roleNames[member.role]
        )}
      </RecordCell>
      <RecordCell label="Joined">{absoluteDate(member.createdAt.getTime())}</RecordCell>
      <RecordCell>
        <Group gap="xs">
          {isOwn && <LeaveButton organization={organization} />}
          {isManaged && <ResetLinkButton member={member} />}
          {isManaged && <RemoveButton member={member} organization={organization} />}
        </Group>
      </RecordCell>
    </RecordRow>
  )
}
