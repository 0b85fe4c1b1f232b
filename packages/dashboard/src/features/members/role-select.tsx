import { NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { roleNames, rolesToGive, type Role } from '../../lib/roles.ts'
import { changeRole, membersQuery, type Member } from './members.ts'
import type { Organization } from '../../session/viewer.ts'
import { explain } from '../../service/error-messages.ts'

interface RoleSelectProps {
  readonly member: Member
  readonly ownRole: Role
  readonly organization: Organization
}

export function RoleSelect({ member, ownRole, organization }: RoleSelectProps) {
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
