import { useLocation } from '@tanstack/react-router'
import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { ButtonLink } from '../../../ui/button-link.tsx'
import { Page } from '../../../ui/page.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { useSettings } from '../../../session/use-settings.ts'
import { email, newPassword, required } from '../../../lib/validation.ts'
import { NewPasswordInput } from '../../../ui/new-password-input.tsx'
import { SubmitForm } from '../../../ui/submit-form.tsx'
import { useReturnPath } from '../../../session/use-return-path.ts'
import { useViewerChange } from '../../../session/use-viewer-change.ts'
import { identity, unwrap } from '../../../session/client.ts'

export function SignUpPage() {
  const settings = useSettings()
  const state = useLocation({ select: (location) => location.state })
  if (settings.provider === 'outside' || settings.signUp === 'invitation') {
    const how =
      settings.provider === 'outside'
        ? 'Accounts are made at the identity provider of this service.'
        : 'Accounts are made by invitation: ask an owner or admin of your organization for a link.'
    return (
      <Page title="Create an account" lead={how}>
        <ButtonLink to="/sign-in" state={state}>
          Go to sign-in
        </ButtonLink>
      </Page>
    )
  }
  return (
    <Page title="Create an account">
      <SignUpForm />
      <Text size="sm">
        Have an account already?{' '}
        <TextLink to="/sign-in" state={state}>
          Sign in
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
    validate: { name: required('your name'), email, password: newPassword },
  })
  const signUp = useMutation({
    mutationFn: (values: typeof form.values) =>
      unwrap(identity.signUp.email({ ...values, email: values.email.trim(), name: values.name.trim() })),
    onSuccess: () => viewerChanged(path),
  })
  return (
    <SubmitForm form={form} mutation={signUp} label="Create account">
      <TextInput {...form.getInputProps('name')} label="Your name" autoComplete="name" required />
      <TextInput {...form.getInputProps('email')} label="Email" type="email" autoComplete="username" required />
      <NewPasswordInput {...form.getInputProps('password')} />
    </SubmitForm>
  )
}
