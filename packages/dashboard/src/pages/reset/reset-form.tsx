import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { newPassword } from '../../base/validation.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { NewPasswordInput } from '../../components/new-password-input.tsx'
import { Notice } from '../../components/notice.tsx'
import { SubmitForm } from '../../components/submit-form.tsx'
import { identity, unwrap } from '../../identity/client.ts'

interface ResetFormProps {
  readonly token: string
}

export function ResetForm({ token }: ResetFormProps) {
  const form = useForm({ initialValues: { password: '' }, validate: { password: newPassword } })
  const reset = useMutation({
    mutationFn: ({ password }: typeof form.values) => unwrap(identity.resetPassword({ newPassword: password, token })),
  })
  if (reset.isSuccess) {
    return (
      <>
        <Notice kind="success">Your new password is set. You were signed out everywhere.</Notice>
        <ButtonLink to="/sign-in">Go to sign-in</ButtonLink>
      </>
    )
  }
  return (
    <SubmitForm form={form} mutation={reset} label="Set password">
      <NewPasswordInput {...form.getInputProps('password')} label="New password" />
    </SubmitForm>
  )
}
