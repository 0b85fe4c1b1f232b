import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { email, required } from '../../lib/validation.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { identity, unwrap } from '../../session/client.ts'

interface PasswordFormProps {
  /** The only account that may sign in here. */
  readonly fixedEmail?: string
  /** Of the button. */
  readonly label?: string
  readonly onSignedIn: () => Promise<void>
}

export function PasswordForm({ fixedEmail, label = 'Sign in', onSignedIn }: PasswordFormProps) {
  const form = useForm({
    initialValues: { email: fixedEmail ?? '', password: '' },
    validate: { email, password: required('your password') },
  })
  const signIn = useMutation({
    mutationFn: (values: typeof form.values) =>
      unwrap(identity.signIn.email({ email: values.email.trim(), password: values.password })),
    onSuccess: () => onSignedIn(),
  })
  return (
    <SubmitForm form={form} mutation={signIn} label={label}>
      <TextInput
        {...form.getInputProps('email')}
        label="Email"
        type="email"
        autoComplete="username webauthn"
        readOnly={fixedEmail !== undefined}
        required
      />
      <PasswordInput {...form.getInputProps('password')} label="Password" autoComplete="current-password" required />
    </SubmitForm>
  )
}
