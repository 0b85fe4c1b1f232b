import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Group, Modal, NativeSelect, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useForm } from '@mantine/form'
import { Page } from '../../ui/page.tsx'
import { useScope } from '../../session/use-scope.ts'
import { useViewer } from '../../session/viewer-context.ts'
import { manages, type Role, roleNames, rolesToGive } from '../../lib/roles.ts'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Section } from '../../ui/section.tsx'
import type { EmbeddedViewer, Organization } from '../../session/viewer.ts'
import { RecordTable } from '../../ui/record-table.tsx'
import { email } from '../../lib/validation.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { invitationsQuery, invite, type Member, membersQuery } from './queries.ts'
import { MemberRow } from './member-row.tsx'
import { InvitationRow } from './invitation-row.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { labels, roleDescriptions } from './labels.ts'

export function MembersPage() {
  const viewer = useViewer()
  const { organization } = useScope()
  if (viewer.provider === 'embedded' && organization) {
    return <OrganizationMembers viewer={viewer} organization={organization} />
  }
  return <Page title={labels.title} lead={labels.external} />
}

interface OrganizationMembersProps {
  readonly viewer: EmbeddedViewer
  readonly organization: Organization
}

function OrganizationMembers({ viewer, organization }: OrganizationMembersProps) {
  const members = useQuery(membersQuery(organization.id))
  const own = members.data?.find(({ userId }) => userId === viewer.userId)
  if (!members.data || !own) {
    return <Page title={labels.title}>{members.error ? <ErrorNotice error={members.error} /> : <Loading />}</Page>
  }
  return (
    <Page title={labels.title} lead={labels.lead(organization.name)}>
      <Section title={labels.people}>
        <MembersTable members={members.data} own={own} organization={organization} />
        {manages(own.role) && <InviteButton organization={organization} ownRole={own.role} />}
      </Section>
      {manages(own.role) && <PendingInvitations organization={organization} />}
    </Page>
  )
}

interface MembersTableProps {
  readonly members: readonly Member[]
  readonly own: Member
  readonly organization: Organization
}

function MembersTable({ members, own, organization }: MembersTableProps) {
  return (
    <RecordTable label={labels.title} columns={labels.columns}>
      {members.map((member) => (
        <MemberRow key={member.id} member={member} own={own} organization={organization} />
      ))}
    </RecordTable>
  )
}

interface InviteButtonProps {
  readonly organization: Organization
  readonly ownRole: Role
}

function InviteButton({ organization, ownRole }: InviteButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Group>
        <Button onClick={open}>{labels.invite.button}</Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title={labels.invite.title(organization.name)}>
        <InviteForm organization={organization} ownRole={ownRole} />
      </Modal>
    </>
  )
}

interface PendingInvitationsProps {
  readonly organization: Organization
}

function PendingInvitations({ organization }: PendingInvitationsProps) {
  const { data, error } = useQuery(invitationsQuery(organization.id))
  return (
    <Section title={labels.invitations.title}>
      <ErrorNotice error={error} />
      {!data && !error && <Loading />}
      {data?.length === 0 && <Text c="dimmed">{labels.invitations.none}</Text>}
      {data && data.length > 0 && (
        <RecordTable label={labels.invitations.title} columns={labels.invitations.columns}>
          {data.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} organization={organization} />
          ))}
        </RecordTable>
      )}
    </Section>
  )
}

interface InviteFormProps {
  readonly organization: Organization
  readonly ownRole: Role
}

function InviteForm({ organization, ownRole }: InviteFormProps) {
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
    <SubmitForm form={form} mutation={create} label={labels.invite.create}>
      <TextInput
        {...form.getInputProps('email')}
        label={labels.invite.email}
        description={labels.invite.emailUse}
        type="email"
        autoComplete="off"
        required
        data-autofocus
      />
      <NativeSelect
        {...form.getInputProps('role')}
        label={labels.role}
        description={roleDescriptions[form.values.role]}
        data={rolesToGive(ownRole).map((role) => ({ value: role, label: roleNames[role] }))}
      />
    </SubmitForm>
  )
}
