import { Checkbox, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { newPassword } from '../../../lib/validation.ts'
import { ButtonLink } from '../../../ui/button-link.tsx'
import { NewPasswordInput } from '../../../ui/new-password-input.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { SubmitForm } from '../../../ui/submit-form.tsx'
import { type Reset, resetPassword } from '../../members/links.ts'
import { absoluteDate } from '../../../lib/time.ts'

interface ResetFormProps {
  readonly token: string
  readonly reset: Reset
}

/** Anyone who had the account before loses it: what the person does not keep is removed. */
export function ResetForm({ token, reset: { email, passkeys, clientSessions } }: ResetFormProps) {
  const form = useForm({
    initialValues: { password: '', keepPasskeys: [] as string[], endClientSessions: true },
    validate: { password: newPassword },
  })
  const reset = useMutation({
    mutationFn: ({ password, ...asked }: typeof form.values) =>
      resetPassword({ token, newPassword: password, ...asked }),
  })
  if (reset.isSuccess) {
    return (
      <>
        <Notice kind="success">Your new password is set. You were signed out of all browsers.</Notice>
        <ButtonLink to="/sign-in">Go to sign-in</ButtonLink>
      </>
    )
  }
  return (
    <SubmitForm form={form} mutation={reset} label="Set password">
      {/* Tells password managers whose password it is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordInput {...form.getInputProps('password')} label="New password" />
      {passkeys.length > 0 && <PasskeyChoice passkeys={passkeys} {...form.getInputProps('keepPasskeys')} />}
      {clientSessions > 0 && (
        <Checkbox
          size="md"
          {...form.getInputProps('endClientSessions', { type: 'checkbox' })}
          label="Log out all command-line clients"
          description={
            clientSessions === 1
              ? '1 session. Clear this only if you know that it is yours.'
              : `${clientSessions} sessions. Clear this only if you know that all of them are yours.`
          }
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
      label="Passkeys to keep"
      description="A passkey signs in without the password. Keep those that are yours; the others are removed."
      {...(value && { value })}
      {...(onChange && { onChange })}
    >
      <Stack gap="xs" mt="xs">
        {passkeys.map(({ id, name, createdAt }) => (
          <Checkbox
            key={id}
            size="md"
            value={id}
            label={name ?? 'A passkey without a name'}
            description={createdAt ? `Added on ${absoluteDate(new Date(createdAt).getTime())}` : undefined}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
