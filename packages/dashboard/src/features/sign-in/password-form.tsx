import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { email, required } from '../../lib/validation.ts'
import { SubmitForm } from '../../ui/form.tsx'
import { identity, unwrap } from '../../session/identity.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { signInWithPasskey } from '../account/queries.ts'
import { labels } from './labels.ts'

interface PasswordFormProps {
  /** The only account that can sign in here. */
  readonly fixedEmail?: string
  /** Text of the button. */
  readonly label?: string
  readonly onSignedIn: () => Promise<void>
}

export function PasswordForm({ fixedEmail, label = labels.signIn.submit, onSignedIn }: PasswordFormProps) {
  const form = useForm({
    initialValues: { email: fixedEmail ?? '', password: '' },
    validate: { email, password: required(labels.fields.passwordMissing) },
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
        label={labels.fields.email}
        type="email"
        autoComplete="username webauthn"
        readOnly={fixedEmail !== undefined}
        required
      />
      <PasswordInput
        {...form.getInputProps('password')}
        label={labels.fields.password}
        autoComplete="current-password"
        required
      />
    </SubmitForm>
  )
}

interface PasskeyButtonProps {
  readonly onSignedIn: () => Promise<void>
}

export function PasskeyButton({ onSignedIn }: PasskeyButtonProps) {
  const signIn = useMutation({ mutationFn: () => signInWithPasskey(false), onSuccess: () => onSignedIn() })
  return (
    <>
      <BusyButton variant="default" isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
        {labels.signIn.passkey}
      </BusyButton>
      <ErrorNotice error={signIn.error} />
    </>
  )
}
