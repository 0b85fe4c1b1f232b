import { Button, NativeSelect, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { manages, mayManage, type Role, roleNames, rolesToGive } from '../../lib/roles.ts'
import { absoluteDate } from '../../lib/time.ts'
import { email } from '../../lib/validation.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { type EmbeddedViewer, type Organization, useViewer } from '../../session/viewer.ts'
import { useCommands } from '../../ui/commands.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { IconInvite } from '../../ui/icons.ts'
import { Page, Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { focusOn } from '../../ui/focus.ts'
import { toast } from '../../ui/toast.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import type { Named } from '../../data/access/matrix.ts'
import { accessQuery } from '../../data/access/queries.ts'
import { PersonAccessDrawer } from './person-access.tsx'
import { InvitationActions, InvitationLink, ProtectedStageLinks } from './invitation.tsx'
import { labels, roleDescriptions } from './labels.ts'
import { MemberActions, RoleSelect } from './member-actions.tsx'
import { Person } from '../../parts/people/person.tsx'
import {
  invitationsQuery,
  invite,
  type Member,
  membersQuery,
  type SignInMethods,
  signInMethodsQuery,
} from '../../data/members.ts'
import { labels as accessLabels } from '../../data/access/labels.ts'

/** How frequently to look for people who joined while the page is visible. */
const refreshMs = 30_000

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
  const { data, error } = useQuery({ ...membersQuery(organization.id), refetchInterval: refreshMs })
  const own = data?.find(({ userId }) => userId === viewer.userId)
  const isManager = own !== undefined && manages(own.role)
  return (
    <Page
      title={labels.title}
      lead={labels.lead(organization.name)}
      actions={isManager && <InviteButton organization={organization} ownRole={own.role} />}
    >
      <LoadError error={error} />
      {data && own ? (
        <MembersTable members={data} own={own} organization={organization} />
      ) : (
        !error && <RowsSkeleton rows={3} />
      )}
      {isManager && <PendingInvitations organization={organization} />}
    </Page>
  )
}

interface MembersTableProps {
  readonly members: readonly Member[]
  /** The membership of the viewer. */
  readonly own: Member
  readonly organization: Organization
}

function MembersTable({ members, own, organization }: MembersTableProps) {
  const isManaged = (member: Member): boolean => member.id !== own.id && mayManage(own.role, member.role)
  const owners = members.filter(({ role }) => role === 'owner')
  const [shown, setShown] = useState<Member>()
  usePersonCommands(members, setShown)
  const { data: methods } = useQuery({ ...signInMethodsQuery(organization.id), enabled: manages(own.role) })
  return (
    <>
      <DataTable
        label={labels.title}
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'person',
            header: labels.name,
            cell: (member) => <AccessOf member={member} isOwn={member.id === own.id} onOpen={setShown} />,
          },
          {
            key: 'role',
            header: labels.role,
            isSelfEvident: true,
            cell: (member) =>
              isManaged(member) ? (
                <RoleSelect member={member} ownRole={own.role} organization={organization} />
              ) : (
                roleNames[member.role]
              ),
          },
          ...(methods ? [methodsColumn(methods)] : []),
          { key: 'joined', header: labels.joined, cell: ({ createdAt }) => absoluteDate(createdAt.getTime()) },
          {
            key: 'actions',
            header: labels.actions,
            isHeaderHidden: true,
            align: 'end',
            cell: (member) => (
              <MemberActions
                member={member}
                isOwn={member.id === own.id}
                isOnlyOwner={owners.length === 1 && owners[0] === member}
                isManaged={isManaged(member)}
                organization={organization}
              />
            ),
          },
        ]}
      />
      <PersonAccessDrawer named={shown && namedOf(shown)} onClose={() => setShown(undefined)} />
    </>
  )
}

/** Lets the palette, which finds people on every page, open their access here. */
function usePersonCommands(members: readonly Member[], onOpen: (member: Member) => void): void {
  const mayOpen = useMay()('manage')
  const openable = mayOpen ? members : []
  useCommands(
    openable.map((member) => ({
      id: `person/${member.id}`,
      label: member.user.name,
      isKeyOnly: true,
      run: () => onOpen(member),
    })),
  )
}

function methodsColumn(methods: readonly SignInMethods[]) {
  const cell = ({ userId }: Member): string => {
    const own = methods.find((each) => each.userId === userId)
    return own ? labels.methodsOf(own) : ''
  }
  return { key: 'methods', header: labels.methods, cell }
}

function namedOf({ userId, role, user }: Member): Named {
  return { principal: { kind: 'user', id: userId }, name: user.name, detail: user.email, memberRole: role }
}

interface AccessOfProps {
  readonly member: Member
  readonly isOwn: boolean
  readonly onOpen: (member: Member) => void
}

/** Shows a person; to those who manage the organization, as a button that opens what they may do where. */
function AccessOf({ member, isOwn, onOpen }: AccessOfProps) {
  const mayOpen = useMay()('manage')
  const person = <Person {...member.user} isViewer={isOwn} />
  if (!mayOpen) return person
  return (
    <UnstyledButton mih={{ base: '2.75rem', sm: 0 }} onClick={() => onOpen(member)}>
      {person}
    </UnstyledButton>
  )
}

interface InviteButtonProps {
  readonly organization: Organization
  readonly ownRole: Role
}

function InviteButton({ organization, ownRole }: InviteButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const [invited, setInvited] = useState<string>()
  const end = (): void => {
    close()
    if (invited !== undefined) focusOn(invited)
    setInvited(undefined)
  }
  useCommands([{ id: 'invite', label: labels.invite.button, keys: 'n', icon: IconInvite, run: open }])
  return (
    <>
      <Button leftSection={<IconInvite size={16} />} onClick={open}>
        {labels.invite.button}
      </Button>
      <FormDrawer opened={isOpen} onClose={end} title={labels.invite.title(organization.name)}>
        <InviteForm organization={organization} ownRole={ownRole} onInvited={setInvited} />
      </FormDrawer>
    </>
  )
}

interface InviteFormProps extends InviteButtonProps {
  /** Receives the id of the invitation. */
  readonly onInvited: (id: string) => void
}

function InviteForm({ organization, ownRole, onInvited }: InviteFormProps) {
  const queryClient = useQueryClient()
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email },
  })
  const create = useMutation({
    mutationFn: (values: typeof form.values) => invite(organization.id, values.email.trim(), values.role),
    onSuccess: async (invitation) => {
      await queryClient.invalidateQueries(invitationsQuery(organization.id))
      toast.success(labels.invite.created(invitation.email))
      onInvited(invitation.id)
    },
  })
  const roleText = useRoleText(form.values.role)
  const startAgain = (): void => {
    create.reset()
    form.reset()
  }
  if (create.data) {
    return (
      <Stack>
        <InvitationLink invitation={create.data} />
        <ProtectedStageLinks />
        <Button variant="default" onClick={startAgain}>
          {labels.invite.another}
        </Button>
      </Stack>
    )
  }
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
        description={roleText}
        data={rolesToGive(ownRole).map((role) => ({ value: role, label: roleNames[role] }))}
      />
    </SubmitForm>
  )
}

/** Returns what a role of the organization allows; for a member, also what the default role does. */
function useRoleText(role: Role): string {
  const { data } = useQuery(accessQuery(useScope(), {}))
  const texts = [
    roleDescriptions[role],
    ...(role === 'member' && data ? [accessLabels.defaultRoles[data.defaultRole]] : []),
  ]
  return texts.join(' ')
}

interface PendingInvitationsProps {
  readonly organization: Organization
}

function PendingInvitations({ organization }: PendingInvitationsProps) {
  const { data, error } = useQuery({ ...invitationsQuery(organization.id), refetchInterval: refreshMs })
  const { email: emailLabel, expires } = labels.invitations
  return (
    <Section title={labels.invitations.title}>
      <LoadError error={error} />
      {!data && !error && <RowsSkeleton rows={2} />}
      {data?.length === 0 && <Text c="dimmed">{labels.invitations.none}</Text>}
      {data && data.length > 0 && (
        <DataTable
          label={labels.invitations.title}
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { key: 'email', header: emailLabel, cell: (invitation) => invitation.email },
            { key: 'role', header: labels.role, isSelfEvident: true, cell: ({ role }) => roleNames[role] },
            { key: 'expires', header: expires, cell: ({ expiresAt }) => <RelativeTime ms={expiresAt.getTime()} /> },
            {
              key: 'actions',
              header: labels.actions,
              isHeaderHidden: true,
              align: 'end',
              cell: (invitation) => <InvitationActions invitation={invitation} organization={organization} />,
            },
          ]}
        />
      )}
    </Section>
  )
}
