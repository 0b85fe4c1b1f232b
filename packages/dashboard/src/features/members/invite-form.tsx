import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { roleNames, rolesToGive, type Role } from '../../lib/roles.ts'
import { email } from '../../lib/validation.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { invitationsQuery, invite } from './members.ts'
import type { Organization } from '../../session/viewer.ts'
import { InvitationLink } from './invitation-link.tsx'

interface InviteFormProps {
  readonly organization: Organization
  readonly ownRole: Role
}

export function InviteForm({ organization, ownRole }: InviteFormProps) {
  const queryClient = useQueryClient()
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email },
  })
  const create = useMutation({
    mutationFn: (values: typeof form.values) => invite(organization.id, values.email.trim(), values.role),
    onSuccess: () => queryClient.invalidateQueries(invitationsQuery(organization.id)),
  })
  if (create.data) return <InvitationLink invitation={create.data} />
  return (
    <SubmitForm form={form} mutation={create} label="Create invitation link">
      <TextInput
        {...form.getInputProps('email')}
        label="Email"
        description="Nothing is mailed: you hand the link over yourself."
        type="email"
        autoComplete="off"
        required
        data-autofocus
      />
      <NativeSelect
        {...form.getInputProps('role')}
        label="Role"
        description="Admins manage members; owners manage admins, too."
        data={rolesToGive(ownRole).map((role) => ({ value: role, label: roleNames[role] }))}
      />
    </SubmitForm>
  )
}
