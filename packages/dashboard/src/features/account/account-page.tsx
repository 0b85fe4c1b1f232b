import { Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Page } from '../../ui/page.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import { Section } from '../../ui/section.tsx'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { newPassword, required } from '../../lib/validation.ts'
import { Notice } from '../../ui/notice.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { identity, unwrap } from '../../session/client.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { NewPasswordInput } from '../../ui/new-password-input.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Passkeys } from './passkeys.tsx'
import { browserSessionsQuery, endOtherSessions } from './browser-sessions-client.ts'
import { SessionItem } from './session-item.tsx'

export function AccountPage() {
  const viewer = useViewer()
  if (viewer.provider === 'embedded') return <EmbeddedAccount viewer={viewer} />
  const who = viewer.name === undefined ? 'You are signed in' : `You are signed in as ${viewer.name}`
  return (
    <Page
      title="Account"
      lead={`${who} by your identity provider. Your name, your password and your other sign-ins are managed there.`}
    >
      <ClientSessions />
    </Page>
  )
}

interface EmbeddedAccountProps {
  readonly viewer: EmbeddedViewer
}

function EmbeddedAccount({ viewer }: EmbeddedAccountProps) {
  return (
    <Page title="Account" lead={`Your email is ${viewer.email}.`}>
      <Section title="Profile">
        <NameForm name={viewer.name} />
      </Section>
      <Section title="Password">
        <PasswordChangeForm email={viewer.email} />
      </Section>
      <Section title="Passkeys">
        <Passkeys viewer={viewer} />
      </Section>
      <Section title="Browser sessions">
        <BrowserSessions viewer={viewer} />
      </Section>
      <ClientSessions />
    </Page>
  )
}

interface NameFormProps {
  readonly name: string
}

function NameForm({ name }: NameFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({ initialValues: { name }, validate: { name: required('your name') } })
  const change = useMutation({
    mutationFn: (values: typeof form.values) => unwrap(identity.updateUser({ name: values.name.trim() })),
    onSuccess: () => viewerChanged(),
  })
  return (
    <SubmitForm form={form} mutation={change} label="Save name">
      <TextInput {...form.getInputProps('name')} label="Your name" autoComplete="name" required />
      {change.isSuccess && <Notice kind="success">Your name is saved.</Notice>}
    </SubmitForm>
  )
}

interface BrowserSessionsProps {
  readonly viewer: EmbeddedViewer
}

function BrowserSessions({ viewer: { userId, sessionId } }: BrowserSessionsProps) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(browserSessionsQuery(userId))
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: async () => {
      await queryClient.invalidateQueries(browserSessionsQuery(userId))
      focusHeading()
    },
  })
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  return (
    <>
      <Stack component="ul" className="plain-list" gap="sm">
        {data.map((session) => (
          <SessionItem key={session.id} session={session} isOwn={session.id === sessionId} userId={userId} />
        ))}
      </Stack>
      <ErrorNotice error={endOthers.error} />
      {data.length > 1 && (
        <Group>
          <BusyButton variant="default" isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out everywhere else
          </BusyButton>
        </Group>
      )}
    </>
  )
}

interface PasswordChangeFormProps {
  readonly email: string
}

const initialValues = { currentPassword: '', newPassword: '' }

function PasswordChangeForm({ email }: PasswordChangeFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues,
    validate: { currentPassword: required('your current password'), newPassword },
  })
  const change = useMutation({
    mutationFn: (values: typeof initialValues) =>
      unwrap(identity.changePassword({ ...values, revokeOtherSessions: true })),
    onSuccess: async () => {
      form.reset()
      await viewerChanged()
    },
  })
  return (
    <SubmitForm form={form} mutation={change} label="Change password">
      {/* Tells password managers whose password it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        {...form.getInputProps('currentPassword')}
        label="Current password"
        autoComplete="current-password"
        required
      />
      <NewPasswordInput {...form.getInputProps('newPassword')} label="New password" />
      {change.isSuccess && (
        <Notice kind="success">Your password is changed. You are signed out everywhere else.</Notice>
      )}
    </SubmitForm>
  )
}

/** The way to them: they belong to an organization. */
function ClientSessions() {
  return (
    <Section title="Command-line sessions">
      <Group>
        <ButtonLink from="/o/$orgSlug" to="./organization/sessions" variant="default">
          See where you are logged in
        </ButtonLink>
      </Group>
    </Section>
  )
}
