import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { email, newPassword, required } from '../../../lib/validation.ts'
import { NewPasswordInput } from '../../../ui/new-password-input.tsx'
import { SubmitForm } from '../../../ui/submit-form.tsx'
import { useReturnPath } from '../../../session/use-return-path.ts'
import { useViewerChange } from '../../../session/use-viewer-change.ts'
import { identity, unwrap } from '../../../session/client.ts'

export function SignUpForm() {
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
