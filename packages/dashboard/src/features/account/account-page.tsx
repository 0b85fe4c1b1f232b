import { Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Page } from '../../ui/page.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import { Section } from '../../ui/section.tsx'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { newPassword, required } from '../../lib/validation.ts'
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
import { browserSessionsQuery, endOtherSessions } from './browser-sessions.ts'
import { SessionItem } from './session-item.tsx'
import { labels } from './labels.ts'
import { toast } from '../../ui/toast.ts'

export function AccountPage() {
  const viewer = useViewer()
  if (viewer.provider === 'embedded') return <EmbeddedAccount viewer={viewer} />
  return (
    <Page title={labels.title} lead={labels.external(viewer.name)} width="reading">
      <ClientSessions />
    </Page>
  )
}

interface EmbeddedAccountProps {
  readonly viewer: EmbeddedViewer
}

function EmbeddedAccount({ viewer }: EmbeddedAccountProps) {
  return (
    <Page title={labels.title} lead={viewer.email} width="reading">
      <Section title={labels.profile.title}>
        <NameForm name={viewer.name} />
      </Section>
      <Section title={labels.password.title} lead={labels.password.text}>
        <PasswordChangeForm email={viewer.email} />
      </Section>
      <Section title={labels.passkeys.title} lead={labels.passkeys.text}>
        <Passkeys viewer={viewer} />
      </Section>
      <Section title={labels.browsers.title}>
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
  const form = useForm({ initialValues: { name }, validate: { name: required(labels.profile.nameMissing) } })
  const change = useMutation({
    mutationFn: (values: typeof form.values) => unwrap(identity.updateUser({ name: values.name.trim() })),
    onSuccess: async () => {
      await viewerChanged()
      toast.success(labels.profile.done)
    },
  })
  return (
    <SubmitForm form={form} mutation={change} label={labels.profile.submit}>
      <TextInput {...form.getInputProps('name')} label={labels.profile.name} autoComplete="name" required />
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
      toast.success(labels.browsers.signedOutOthers)
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
            {labels.browsers.others}
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
    validate: { currentPassword: required(labels.password.currentMissing), newPassword },
  })
  const change = useMutation({
    mutationFn: (values: typeof initialValues) =>
      unwrap(identity.changePassword({ ...values, revokeOtherSessions: true })),
    onSuccess: async () => {
      form.reset()
      await viewerChanged()
      toast.success(labels.password.done)
    },
  })
  return (
    <SubmitForm form={form} mutation={change} label={labels.password.submit}>
      {/* Tells password managers which account it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        {...form.getInputProps('currentPassword')}
        label={labels.password.current}
        autoComplete="current-password"
        required
      />
      <NewPasswordInput {...form.getInputProps('newPassword')} label={labels.password.new} />
    </SubmitForm>
  )
}

function ClientSessions() {
  return (
    <Section title={labels.sessions.title} lead={labels.sessions.text}>
      <Group>
        <ButtonLink from="/o/$orgSlug" to="./settings/sessions" variant="default">
          {labels.sessions.link}
        </ButtonLink>
      </Group>
    </Section>
  )
}
