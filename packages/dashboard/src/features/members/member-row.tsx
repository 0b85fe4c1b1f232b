import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { mayManage, type Role, roleNames, rolesToGive } from '../../lib/roles.ts'
import { absoluteDate } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import type { Organization } from '../../session/viewer.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { focusHeading } from '../../ui/focus-heading.ts'
import { changeRole, leaveOrganization, type Member, membersQuery, removeMember } from './queries.ts'
import { ResetLinkButton } from './reset-link-button.tsx'
import { labels, roleDescriptions } from './labels.ts'
import { toast } from '../../ui/toast.ts'

interface MemberRowProps {
  readonly member: Member
  /** The membership of the viewer. */
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
          {isOwn && ` (${labels.you})`}
        </Text>
        <Text size="sm" c="dimmed">
          {member.user.email}
        </Text>
      </RecordCell>
      <RecordCell label={labels.role}>
        {isManaged ? (
          <RoleSelect member={member} ownRole={own.role} organization={organization} />
        ) : (
          roleNames[member.role]
        )}
      </RecordCell>
      <RecordCell label={labels.joined}>{absoluteDate(member.createdAt.getTime())}</RecordCell>
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

/** A choice of roles. Asks before it changes one. */
function RoleSelect({ member, ownRole, organization }: RoleSelectProps) {
  const [chosen, setChosen] = useState<Role>()
  const queryClient = useQueryClient()
  const { name } = member.user
  const role = roleNames[chosen ?? member.role].toLowerCase()
  const close = (): void => setChosen(undefined)
  const setRole = async (next: Role): Promise<void> => {
    await changeRole(organization.id, member.id, next)
    await queryClient.invalidateQueries(membersQuery(organization.id))
  }
  const change = useMutation({
    mutationFn: () => setRole(chosen ?? member.role),
    onSuccess: () => {
      close()
      toast.success(labels.changeRole.done(name, role), { undo: () => setRole(member.role) })
    },
  })
  return (
    <>
      <NativeSelect
        aria-label={labels.roleOf(name)}
        size="sm"
        w={120}
        value={chosen ?? member.role}
        data={rolesToGive(ownRole).map((each) => ({ value: each, label: roleNames[each] }))}
        onChange={(event) => setChosen(event.currentTarget.value as Role)}
      />
      <ConfirmDialog
        title={labels.changeRole.title(name, role)}
        label={labels.changeRole.button(role)}
        mutation={change}
        opened={chosen !== undefined}
        onClose={close}
      >
        {roleDescriptions[chosen ?? member.role]}
      </ConfirmDialog>
    </>
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
        {labels.leave.button}
      </Button>
      <ConfirmDialog
        title={labels.leave.title(organization.name)}
        label={labels.leave.button}
        mutation={leave}
        opened={isAsking}
        onClose={close}
      >
        {labels.leave.text(organization.name)}
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
  const { name, email } = member.user
  const remove = useMutation({
    mutationFn: () => removeMember(organization.id, member.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(membersQuery(organization.id))
      toast.success(labels.remove.done(name))
      focusHeading()
    },
  })
  return (
    <>
      <Button size="sm" variant="default" aria-label={labels.remove.confirm(name)} onClick={open}>
        {labels.remove.button}
      </Button>
      <ConfirmDialog
        title={labels.remove.title(name)}
        label={labels.remove.confirm(name)}
        mutation={remove}
        opened={isAsking}
        onClose={close}
      >
        {labels.remove.text(name, email, organization.name)}
      </ConfirmDialog>
    </>
  )
}
