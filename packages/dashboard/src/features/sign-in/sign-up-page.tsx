import { useLocation } from '@tanstack/react-router'
import { Code, Text, TextInput } from '@mantine/core'
import { type GetInputPropsReturnType, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { ButtonLink, TextLink } from '../../ui/buttons.tsx'
import { Page } from '../../ui/page.tsx'
import { useSettings } from '../../session/settings.ts'
import { email, newPassword, required, slug } from '../../lib/validation.ts'
import { NewPasswordInput, SlugFields, SubmitForm } from '../../ui/form.tsx'
import { useLinkParameters, useReturnPath } from '../../session/return-path.ts'
import { useViewerChange } from '../../session/viewer.ts'
import { identity, unwrap } from '../../session/identity.ts'
import { Notice } from '../../ui/notice.tsx'
import { hasCode } from '../../service/errors.ts'
import { labels } from './labels.ts'
import { setUp } from '../../data/links.ts'
import { labels as signInLabels } from '../../parts/sign-in/labels.ts'

export function SignUpPage() {
  const settings = useSettings()
  const state = useLocation({ select: (location) => location.state })
  if (settings.provider === 'external' || settings.signUp === 'invitation') {
    const how = settings.provider === 'external' ? labels.signUp.external : labels.signUp.byInvitation
    return (
      <Page title={labels.signUp.title} lead={how}>
        <ButtonLink to="/sign-in" state={state}>
          {labels.signUp.goToSignIn}
        </ButtonLink>
      </Page>
    )
  }
  return (
    <Page title={labels.signUp.title}>
      <SignUpForm />
      <Text size="sm">
        {labels.signUp.hasAccount}{' '}
        <TextLink to="/sign-in" state={state}>
          {labels.signUp.signIn}
        </TextLink>
      </Text>
    </Page>
  )
}

function SignUpForm() {
  const path = useReturnPath()
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues: { name: '', email: '', password: '' },
    validate: accountChecks,
  })
  const signUp = useMutation({
    mutationFn: (values: typeof form.values) =>
      unwrap(identity.signUp.email({ ...values, email: values.email.trim(), name: values.name.trim() })),
    onSuccess: () => viewerChanged(path),
  })
  return (
    <SubmitForm form={form} mutation={signUp} label={labels.signUp.submit}>
      <AccountFields form={form} refusal={signUp.error} />
    </SubmitForm>
  )
}

interface AccountFieldsProps {
  readonly form: { getInputProps(path: 'name' | 'email' | 'password'): GetInputPropsReturnType }
  /** The error of the form. */
  readonly refusal: unknown
}

/** Asks for what every new account has. */
function AccountFields({ form, refusal }: AccountFieldsProps) {
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={signInLabels.fields.name}
        autoComplete="name"
        data-autofocus
        required
      />
      <TextInput
        {...form.getInputProps('email')}
        label={signInLabels.fields.email}
        type="email"
        autoComplete="username"
        required
      />
      <NewPasswordInput {...form.getInputProps('password')} refusal={refusal} />
    </>
  )
}

const accountChecks = { name: required(signInLabels.fields.nameMissing), email, password: newPassword }

export function SetupPage() {
  const settings = useSettings()
  const { token } = useLinkParameters('token')
  const isDone = settings.provider === 'embedded' && settings.isSetUp
  if (token === undefined || isDone) {
    return (
      <Page title={labels.setup.title}>
        {isDone ? (
          <Notice kind="info" title={labels.setup.doneTitle}>
            {labels.setup.doneText}
          </Notice>
        ) : (
          <Notice kind="warning" title={labels.setup.missingTitle}>
            {labels.setup.missing} <NewSetupLink />
          </Notice>
        )}
        <Text size="sm">
          {labels.setup.isDone} <TextLink to="/sign-in">{labels.signIn.title}</TextLink>
        </Text>
      </Page>
    )
  }
  return (
    <Page title={labels.setup.title} lead={labels.setup.lead}>
      <SetupForm token={token} />
    </Page>
  )
}

/** Says how the operator gets another setup link. */
function NewSetupLink() {
  return (
    <>
      {labels.setup.newLink} <Code>{labels.setup.command}</Code> {labels.setup.withoutNpm}{' '}
      <Code>{labels.setup.commandWithoutNpm}</Code>
    </>
  )
}

interface SetupFormProps {
  readonly token: string
}

const initialValues = { name: '', email: '', password: '', organizationName: '', organizationSlug: '' }

function SetupForm({ token }: SetupFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues,
    validate: {
      ...accountChecks,
      organizationName: required(signInLabels.fields.organizationMissing),
      organizationSlug: slug,
    },
  })
  const create = useMutation({
    mutationFn: (values: typeof initialValues) => setUp({ token, ...values, email: values.email.trim() }),
    onSuccess: () => viewerChanged('/'),
  })
  if (hasCode(create.error, 'LINK_NOT_VALID')) {
    return (
      <Notice kind="error" title={labels.setup.overTitle}>
        <NewSetupLink />
      </Notice>
    )
  }
  return (
    <SubmitForm form={form} mutation={create} label={labels.setup.submit}>
      <AccountFields form={form} refusal={create.error} />
      <SlugFields
        what="organization"
        name={form.getInputProps('organizationName')}
        slug={form.getInputProps('organizationSlug')}
      />
    </SubmitForm>
  )
}
