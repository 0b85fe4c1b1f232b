import { useMutation, useQuery } from '@tanstack/react-query'
import { Checkbox, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { useLinkParameters } from '../../session/return-path.ts'
import { newPassword } from '../../lib/validation.ts'
import { ButtonLink } from '../../ui/buttons.tsx'
import { NewPasswordInput, SubmitForm } from '../../ui/form.tsx'
import { absoluteDate } from '../../lib/time.ts'
import { labels } from './labels.ts'
import { LinkProblem } from './link-problem.tsx'
import { type Reset, resetPassword, resetQuery } from '../../data/links.ts'

export function ResetPage() {
  const { token } = useLinkParameters('token')
  if (token !== undefined) return <OpenedReset key={token} token={token} />
  return (
    <Page title={labels.reset.title}>
      <Notice kind="warning" title={labels.reset.incompleteTitle}>
        {labels.reset.incomplete}
      </Notice>
    </Page>
  )
}

function OpenedReset({ token }: { readonly token: string }) {
  const { data, error } = useQuery(resetQuery(token))
  if (!data) return <Page title={labels.reset.title}>{error ? <LinkProblem error={error} /> : <Loading />}</Page>
  return (
    <Page title={labels.reset.title} lead={labels.reset.lead(data.email)}>
      <ResetForm token={token} reset={data} />
    </Page>
  )
}

interface ResetFormProps {
  readonly token: string
  readonly reset: Reset
}

/** Removes every sign-in method that the person does not keep, so that a former holder of the account loses it. */
function ResetForm({ token, reset: { email, passkeys, clientSessions, companies } }: ResetFormProps) {
  const form = useForm({
    initialValues: { password: '', keepPasskeys: [] as string[], endClientSessions: true },
    validate: { password: newPassword },
  })
  const reset = useMutation({
    mutationFn: ({ password, ...choices }: typeof form.values) =>
      resetPassword({ token, newPassword: password, ...choices }),
  })
  if (reset.isSuccess) {
    return (
      <>
        <Notice kind="success">{labels.reset.done}</Notice>
        {companies.length > 0 && <Text>{labels.reset.companiesDone(companies)}</Text>}
        <ButtonLink to="/sign-in" state={{ email }}>
          {labels.reset.goToSignIn}
        </ButtonLink>
      </>
    )
  }
  return (
    <SubmitForm form={form} mutation={reset} label={labels.reset.submit}>
      {/* Tells password managers which account it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordInput {...form.getInputProps('password')} label={labels.reset.password} refusal={reset.error} />
      {passkeys.length > 0 && <PasskeyChoice passkeys={passkeys} {...form.getInputProps('keepPasskeys')} />}
      {companies.length > 0 && <Text>{labels.reset.companies(companies)}</Text>}
      {clientSessions > 0 && (
        <Checkbox
          size="md"
          {...form.getInputProps('endClientSessions', { type: 'checkbox' })}
          label={labels.reset.endSessions}
          description={labels.reset.endSessionsUse(clientSessions)}
        />
      )}
    </SubmitForm>
  )
}

interface PasskeyChoiceProps {
  readonly passkeys: Reset['passkeys']
  /** Ids of those that are kept. */
  readonly value?: string[]
  readonly onChange?: (kept: string[]) => void
}

function PasskeyChoice({ passkeys, value, onChange }: PasskeyChoiceProps) {
  return (
    <Checkbox.Group
      size="md"
      label={labels.reset.passkeys}
      description={labels.reset.passkeysUse}
      {...(value && { value })}
      {...(onChange && { onChange })}
    >
      <Stack gap="xs" mt="xs">
        {passkeys.map(({ id, name, createdAt }) => (
          <Checkbox
            key={id}
            size="md"
            value={id}
            label={name ?? labels.reset.unnamedPasskey}
            description={createdAt ? labels.reset.added(absoluteDate(new Date(createdAt).getTime())) : undefined}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
