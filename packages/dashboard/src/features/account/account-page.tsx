import { Badge, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Page, Section } from '../../ui/page.tsx'
import { type EmbeddedViewer, useViewer, useViewerChange, viewerQuery } from '../../session/viewer.ts'
import { newPassword, required } from '../../lib/validation.ts'
import { NewPasswordInput, SubmitForm } from '../../ui/form.tsx'
import { identity, unwrap } from '../../session/identity.ts'
import { BusyButton, ButtonLink } from '../../ui/buttons.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useSettings } from '../../session/settings.ts'
import { CompanyFailure, CompanyNote } from '../../parts/sign-in/company.tsx'
import { Companies, useHasPassword } from './companies.tsx'
import { Mails } from './mails.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import {
  type BrowserSession,
  browserSessionsQuery,
  endOtherSessions,
  endSession,
  ownFirst,
} from '../../data/account.ts'
import { labels } from './labels.ts'
import { browserName } from './browser-name.ts'

export function AccountPage() {
  const viewer = useViewer()
  if (viewer.provider === 'embedded') return <EmbeddedAccount viewer={viewer} />
  return (
    <Page title={labels.title} lead={labels.external(viewer.name)}>
      <ClientSessions />
    </Page>
  )
}

interface EmbeddedAccountProps {
  readonly viewer: EmbeddedViewer
}

function EmbeddedAccount({ viewer }: EmbeddedAccountProps) {
  const settings = useSettings()
  // Everyone has one who does not sign in at a company's provider instead.
  const hasPassword = useHasPassword(viewer.userId) !== false
  const hasCompanies = settings.provider === 'embedded' && settings.companies.length > 0
  return (
    <Page title={labels.title} lead={viewer.email}>
      <CompanyFailure />
      <CompanyNote />
      <Section title={labels.profile.title} lead={labels.profile.text}>
        <NameForm name={viewer.name} />
      </Section>
      {hasPassword && (
        <>
          <Section title={labels.password.title} lead={labels.password.text}>
            <PasswordChangeForm email={viewer.email} />
          </Section>
          <Section title={labels.secondFactor.title} lead={labels.secondFactor.text}>
            <SecondFactor userId={viewer.userId} />
          </Section>
        </>
      )}
      <Section title={labels.passkeys.title} lead={labels.passkeys.text}>
        <Passkeys viewer={viewer} />
      </Section>
      {hasCompanies && (
        <Section title={labels.companies.title} lead={labels.companies.text}>
          <Companies userId={viewer.userId} />
        </Section>
      )}
      <Mails userId={viewer.userId} />
      <Section title={labels.browsers.title}>
        <BrowserSessions viewer={viewer} />
      </Section>
      <ClientSessions />
    </Page>
  )
}

function rename(to: string): Promise<unknown> {
  return unwrap(identity.updateUser({ name: to }))
}

interface NameFormProps {
  readonly name: string
}

function NameForm({ name }: NameFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({ initialValues: { name }, validate: { name: required(labels.profile.nameMissing) } })
  const change = useMutation({
    mutationFn: (values: typeof form.values) => rename(values.name.trim()),
    onSuccess: async (_, values) => {
      await viewerChanged()
      toast.success(labels.profile.done(values.name.trim()), {
        undo: async () => {
          await rename(name)
          await viewerChanged()
          form.setValues({ name })
          return labels.profile.done(name)
        },
        redo: async () => {
          await rename(values.name.trim())
          await viewerChanged()
          form.setValues(values)
        },
      })
    },
  })
  return (
    <SubmitForm
      form={form}
      mutation={change}
      label={labels.profile.submit}
      isSecondary
      isIncomplete={form.values.name.trim() === name}
    >
      <TextInput {...form.getInputProps('name')} label={labels.profile.name} autoComplete="name" required />
    </SubmitForm>
  )
}

interface BrowserSessionsProps {
  readonly viewer: EmbeddedViewer
}

function BrowserSessions({ viewer }: BrowserSessionsProps) {
  const { userId } = viewer
  const queryClient = useQueryClient()
  // A confirmation replaces the session while the page stays.
  const { data: current = viewer } = useQuery(viewerQuery(viewer.provider))
  const ownId = current?.provider === 'embedded' ? current.sessionId : undefined
  const { data, error } = useQuery(browserSessionsQuery(userId))
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: async () => {
      await queryClient.invalidateQueries(browserSessionsQuery(userId))
      toast.success(labels.browsers.signedOutOthers)
    },
  })
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton rows={2} />
  return (
    <>
      {/* Above the list, which may be long. */}
      {data.length > 1 && (
        <Group>
          <BusyButton variant="default" isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {labels.browsers.others}
          </BusyButton>
        </Group>
      )}
      <ErrorNotice error={endOthers.error} />
      <Stack component="ul" className="plain-list" gap="sm">
        {ownFirst(data, ownId).map((session) => (
          <SessionItem key={session.id} session={session} isOwn={session.id === ownId} userId={userId} />
        ))}
      </Stack>
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
    <SubmitForm form={form} mutation={change} label={labels.password.submit} isSecondary>
      {/* Tells password managers which account it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        {...form.getInputProps('currentPassword')}
        label={labels.password.current}
        autoComplete="current-password"
        required
      />
      <NewPasswordInput {...form.getInputProps('newPassword')} label={labels.password.new} refusal={change.error} />
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

interface SessionItemProps {
  readonly session: BrowserSession
  /** Whether this browser uses it. */
  readonly isOwn: boolean
  readonly userId: string
}

function SessionItem({ session, isOwn, userId }: SessionItemProps) {
  const name = browserName(session.userAgent)
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => endSession(session),
    onSuccess: async () => {
      await queryClient.invalidateQueries(browserSessionsQuery(userId))
      toast.success(labels.browsers.signedOut(name))
    },
  })
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {isOwn ? (
            labels.browsers.active
          ) : (
            <>
              {labels.browsers.lastUsed} <RelativeTime ms={session.updatedAt.getTime()} />
            </>
          )}
          {session.ipAddress && ` · ${session.ipAddress}`}
        </Text>
        <ErrorNotice error={end.error} />
      </div>
      {isOwn ? (
        <Badge>{labels.browsers.own}</Badge>
      ) : (
        <BusyButton
          size="sm"
          variant="subtle"
          color="gray"
          flex="none"
          aria-label={labels.browsers.signOutOf(name)}
          isBusy={end.isPending}
          onClick={() => end.mutate()}
        >
          {labels.browsers.signOut}
        </BusyButton>
      )}
    </Group>
  )
}
