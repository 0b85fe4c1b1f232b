import { useLocation } from '@tanstack/react-router'
import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { useSettings } from '../../session/use-settings.ts'
import { email, newPassword, required } from '../../lib/validation.ts'
import { NewPasswordInput } from '../../ui/new-password-input.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useReturnPath } from '../../session/use-return-path.ts'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { identity, unwrap } from '../../session/client.ts'
import { labels } from './labels.ts'

export function SignUpPage() {
  const settings = useSettings()
  const state = useLocation({ select: (location) => location.state })
  if (settings.provider === 'outside' || settings.signUp === 'invitation') {
    const how = settings.provider === 'outside' ? labels.signUp.external : labels.signUp.byInvitation
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
    validate: { name: required(labels.fields.nameMissing), email, password: newPassword },
  })
  const signUp = useMutation({
    mutationFn: (values: typeof form.values) =>
      unwrap(identity.signUp.email({ ...values, email: values.email.trim(), name: values.name.trim() })),
    onSuccess: () => viewerChanged(path),
  })
  return (
    <SubmitForm form={form} mutation={signUp} label={labels.signUp.submit}>
      <TextInput {...form.getInputProps('name')} label={labels.fields.name} autoComplete="name" required />
      <TextInput
        {...form.getInputProps('email')}
        label={labels.fields.email}
        type="email"
        autoComplete="username"
        required
      />
      <NewPasswordInput {...form.getInputProps('password')} />
    </SubmitForm>
  )
}
