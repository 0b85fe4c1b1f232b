import { PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { newPassword, required } from '../../base/validation.ts'
import { NewPasswordInput } from '../../components/new-password-input.tsx'
import { Notice } from '../../components/notice.tsx'
import { SubmitForm } from '../../components/submit-form.tsx'
import { useViewerChange } from '../../hooks/use-viewer-change.ts'
import { identity, unwrap } from '../../identity/client.ts'

interface PasswordChangeFormProps {
  readonly email: string
}

const initialValues = { currentPassword: '', newPassword: '' }

export function PasswordChangeForm({ email }: PasswordChangeFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues,
    validate: { currentPassword: required('your current password'), newPassword },
  })
  const change = useMutation({
    mutationFn: (values: typeof initialValues) =>
      unwrap(identity.changePassword({ ...values, revokeOtherSessions: true })),
    onSuccess: async () => {
      form.reset()
      await viewerChanged()
    },
  })
  return (
    <SubmitForm form={form} mutation={change} label="Change password">
      {/* Tells password managers whose password it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        {...form.getInputProps('currentPassword')}
        label="Current password"
        autoComplete="current-password"
        required
      />
      <NewPasswordInput {...form.getInputProps('newPassword')} label="New password" />
      {change.isSuccess && (
        <Notice kind="success">Your password is changed. You are signed out everywhere else.</Notice>
      )}
    </SubmitForm>
  )
}
