import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useDisclosure } from '@mantine/hooks'
import { mayManage, type Role, roleNames, rolesToGive } from '../../lib/roles.ts'
import { absoluteDate } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import type { Organization } from '../../session/viewer.ts'
import { explain } from '../../service/error-messages.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { focusHeading } from '../../ui/focus-heading.ts'
import { changeRole, leaveOrganization, type Member, membersQuery, removeMember } from './members.ts'
import { ResetLinkButton } from './reset-link-button.tsx'

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

interface RoleSelectProps {
  readonly member: Member
  readonly ownRole: Role
  readonly organization: Organization
}

function RoleSelect({ member, ownRole, organization }: RoleSelectProps) {
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (role: Role) => changeRole(organization.id, member.id, role),
    onSuccess: () => queryClient.invalidateQueries(membersQuery(organization.id)),
  })
  return (
    <NativeSelect
      aria-label={`Role of ${member.user.name}`}
      size="sm"
      w={120}
      value={change.isPending ? change.variables : member.role}
      error={change.error && explain(change.error)}
      data={rolesToGive(ownRole).map((role) => ({ value: role, label: roleNames[role] }))}
      onChange={(event) => change.mutate(event.currentTarget.value as Role)}
    />
  )
}

interface LeaveButtonProps {
  readonly organization: Organization
}

function LeaveButton({ organization }: LeaveButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const viewerChanged = useViewerChange()
  const leave = useMutation({
    mutationFn: () => leaveOrganization(organization.id),
    onSuccess: () => viewerChanged('/organizations'),
  })
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        Leave
      </Button>
      <ConfirmDialog
        title={`Leave ${organization.name}?`}
        label="Confirm leaving"
        mutation={leave}
        opened={isAsking}
        onClose={close}
      >
        You will no longer be a member of {organization.name}, and your command-line clients lose their access to it at
        once. Only an invitation brings you back.
      </ConfirmDialog>
    </>
  )
}

interface RemoveButtonProps {
  readonly member: Member
  readonly organization: Organization
}

function RemoveButton({ member, organization }: RemoveButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => removeMember(organization.id, member.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(membersQuery(organization.id))
      focusHeading()
    },
  })
  const { name, email } = member.user
  return (
    <>
      <Button size="sm" variant="default" aria-label={`Remove ${name}`} onClick={open}>
        Remove
      </Button>
      <ConfirmDialog
        title={`Remove ${name}?`}
        label="Confirm removal"
        mutation={remove}
        opened={isAsking}
        onClose={close}
      >
        {name} ({email}) will no longer be a member of {organization.name}, and their sessions end at once, command-line
        clients included.
      </ConfirmDialog>
    </>
  )
}
