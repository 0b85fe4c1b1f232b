import { ActionIcon, Button, Menu, NativeSelect, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Role, roleNames, rolesToGive } from '../../lib/roles.ts'
import { type Organization, useViewerChange } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { IconDelete, IconMore, IconSecret } from '../../ui/icons.ts'
import { toast } from '../../ui/toast.tsx'
import { labels, roleDescriptions } from './labels.ts'
import { changeRole, leaveOrganization, type Member, membersQuery, removeMember } from '../../data/members.ts'
import { Modal } from '../../ui/dialog.tsx'
import { resetLink } from '../../data/links.ts'

interface RoleSelectProps {
  readonly member: Member
  readonly ownRole: Role
  readonly organization: Organization
}

/** Changes a role after a question. */
export function RoleSelect({ member, ownRole, organization }: RoleSelectProps) {
  const [chosen, setChosen] = useState<Role>()
  const queryClient = useQueryClient()
  const { name } = member.user
  const role = chosen ?? member.role
  const close = (): void => setChosen(undefined)
  const setRole = async (next: Role): Promise<void> => {
    await changeRole(organization.id, member.id, next)
    await queryClient.invalidateQueries(membersQuery(organization.id))
  }
  const change = useMutation({
    mutationFn: () => setRole(role),
    onSuccess: () => {
      close()
      toast.success(labels.changeRole.done(name, roleNames[role]), {
        isButtonOnly: true,
        undo: async () => {
          await setRole(member.role)
          return labels.changeRole.done(name, roleNames[member.role])
        },
        redo: () => setRole(role),
      })
    },
  })
  return (
    <>
      <NativeSelect
        aria-label={labels.roleOf(name)}
        w={120}
        value={role}
        data={rolesToGive(ownRole).map((each) => ({ value: each, label: roleNames[each] }))}
        onChange={(event) => setChosen(event.currentTarget.value as Role)}
      />
      <ConfirmDialog
        title={labels.changeRole.title(name, roleNames[role])}
        label={labels.changeRole.button}
        isDangerous={false}
        mutation={change}
        opened={chosen !== undefined}
        onClose={close}
      >
        {roleDescriptions[role]}
      </ConfirmDialog>
    </>
  )
}

interface MemberActionsProps {
  readonly member: Member
  readonly isOwn: boolean
  /** Whether the organization would be without an owner if the member left. */
  readonly isOnlyOwner: boolean
  /** Whether the viewer can manage the member. */
  readonly isManaged: boolean
  readonly organization: Organization
}

export function MemberActions({ member, isOwn, isOnlyOwner, isManaged, organization }: MemberActionsProps) {
  if (isOwn && isOnlyOwner) {
    return (
      <Text component="span" size="sm" c="dimmed" title={labels.leave.onlyOwnerHint}>
        {labels.leave.onlyOwner}
      </Text>
    )
  }
  if (isOwn) return <LeaveButton organization={organization} />
  return isManaged && <MemberMenu member={member} organization={organization} />
}

interface LeaveButtonProps {
  readonly organization: Organization
}

function LeaveButton({ organization }: LeaveButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const viewerChanged = useViewerChange()
  const leave = useMutation({
    mutationFn: () => leaveOrganization(organization.id),
    onSuccess: async () => {
      await viewerChanged('/organizations')
      toast.success(labels.leave.done(organization.name))
    },
  })
  return (
    <>
      <Button variant="subtle" color="gray" onClick={open}>
        {labels.leave.button}
      </Button>
      <ConfirmDialog
        title={labels.leave.title(organization.name)}
        label={labels.leave.confirm(organization.name)}
        mutation={leave}
        opened={isAsking}
        onClose={close}
      >
        {labels.leave.text(organization.name)}
      </ConfirmDialog>
    </>
  )
}

interface MemberMenuProps {
  readonly member: Member
  readonly organization: Organization
}

function MemberMenu({ member, organization }: MemberMenuProps) {
  const [isResetting, reset] = useDisclosure()
  const [isRemoving, removal] = useDisclosure()
  const { name } = member.user
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={labels.actionsOf(name)}>
            <IconMore size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconSecret size={16} />} onClick={reset.open}>
            {labels.reset.button}
          </Menu.Item>
          <Menu.Item leftSection={<IconDelete size={16} />} color="red" onClick={removal.open}>
            {labels.remove.button}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ResetDialog member={member} opened={isResetting} onClose={reset.close} />
      <RemoveDialog member={member} organization={organization} opened={isRemoving} onClose={removal.close} />
    </>
  )
}

interface ResetDialogProps {
  readonly member: Member
  readonly opened: boolean
  readonly onClose: () => void
}

/** Creates a link with which the member sets a new password. */
function ResetDialog({ member, opened, onClose }: ResetDialogProps) {
  const create = useMutation({ mutationFn: () => resetLink(member.id) })
  const { name } = member.user
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={create.reset} title={labels.reset.title(name)}>
      {create.data ? (
        <CopyField label={labels.reset.link} description={labels.reset.linkUse(name)} value={create.data.url} />
      ) : (
        <Stack>
          <Text>{labels.reset.text(name)}</Text>
          <ErrorNotice error={create.error} />
          <BusyButton isBusy={create.isPending} onClick={() => create.mutate()}>
            {labels.reset.create}
          </BusyButton>
        </Stack>
      )}
    </Modal>
  )
}

interface RemoveDialogProps extends MemberMenuProps {
  readonly opened: boolean
  readonly onClose: () => void
}

function RemoveDialog({ member, organization, opened, onClose }: RemoveDialogProps) {
  const queryClient = useQueryClient()
  const { name, email } = member.user
  const remove = useMutation({
    mutationFn: () => removeMember(organization.id, member.id),
    onSuccess: async () => {
      onClose()
      await queryClient.invalidateQueries(membersQuery(organization.id))
      toast.success(labels.remove.done(name))
    },
  })
  return (
    <ConfirmDialog
      title={labels.remove.title(name)}
      label={labels.remove.confirm(name)}
      mutation={remove}
      opened={opened}
      onClose={onClose}
    >
      {labels.remove.text(name, email, organization.name)}
    </ConfirmDialog>
  )
}
