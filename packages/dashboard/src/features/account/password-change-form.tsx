import { PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { newPassword, required } from '../../lib/validation.ts'
import { NewPasswordInput } from '../../ui/new-password-input.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { identity, unwrap } from '../../session/client.ts'

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
