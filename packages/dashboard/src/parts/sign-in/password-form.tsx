import { Anchor, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type GetInputPropsReturnType, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { hasCode } from '../../service/errors.ts'
import { email, required } from '../../lib/validation.ts'
import { SubmitForm } from '../../ui/form.tsx'
import { identity, unwrap } from '../../session/identity.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { signInWithPasskey } from '../../data/account.ts'
import { labels } from './labels.ts'

interface PasswordFormProps {
  /** The only account that can sign in here. */
  readonly fixedEmail?: string
  /** The account that is expected. */
  readonly knownEmail?: string | undefined
  /** Text of the button. */
  readonly label?: string
  readonly onSignedIn: () => Promise<void>
}

export function PasswordForm({
  fixedEmail,
  knownEmail = fixedEmail,
  label = labels.signIn.submit,
  onSignedIn,
}: PasswordFormProps) {
  const [needsCode, setNeedsCode] = useState(false)
  const form = useForm({
    initialValues: { email: knownEmail ?? '', password: '', code: '' },
    validate: {
      email,
      password: required(labels.fields.passwordMissing),
      code: (code) => (needsCode ? required(labels.fields.codeMissing)(code) : null),
    },
  })
  const signIn = useMutation({
    mutationFn: (values: typeof form.values) => signInWithPassword(values, needsCode),
    onSuccess: () => onSignedIn(),
    onError: (error) => {
      if (hasCode(error, codeNeeded)) setNeedsCode(true)
      if (hasCode(error, 'WRONG_CODE')) form.setFieldValue('code', '')
    },
  })
  const error = hasCode(signIn.error, codeNeeded) ? null : signIn.error
  const startAgain = (): void => {
    form.reset()
    signIn.reset()
    setNeedsCode(false)
  }
  if (needsCode) {
    return (
      <SubmitForm form={form} mutation={{ ...signIn, error }} label={label}>
        <CodeField input={form.getInputProps('code')} />
        <Anchor component="button" type="button" size="sm" ta="start" onClick={startAgain}>
          {labels.fields.otherAccount}
        </Anchor>
      </SubmitForm>
    )
  }
  return (
    <SubmitForm form={form} mutation={{ ...signIn, error }} label={label}>
      <TextInput
        {...form.getInputProps('email')}
        label={labels.fields.email}
        type="email"
        autoComplete="username webauthn"
        readOnly={fixedEmail !== undefined}
        data-autofocus={knownEmail === undefined || undefined}
        required
      />
      <PasswordInput
        {...form.getInputProps('password')}
        label={labels.fields.password}
        autoComplete="current-password"
        required
        data-autofocus={knownEmail !== undefined || undefined}
      />
    </SubmitForm>
  )
}

/** The answer to a right password if the account has a second factor. */
const codeNeeded = 'SECOND_FACTOR_REQUIRED'

interface SignInValues {
  readonly email: string
  readonly password: string
  readonly code: string
}

async function signInWithPassword(
  { email: address, password, code }: SignInValues,
  hasCodeToo: boolean,
): Promise<void> {
  const body = { email: address.trim(), password, ...(hasCodeToo && { code }) }
  await unwrap(identity.$fetch<object>('/sign-in/email', { method: 'POST', body }))
}

interface CodeFieldProps {
  readonly input: GetInputPropsReturnType
}

/** Asks for the code of the authenticator app, or for a recovery code. */
function CodeField({ input }: CodeFieldProps) {
  const [isRecovery, setRecovery] = useState(false)
  const { fields } = labels
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const change = (): void => {
    setRecovery(!isRecovery)
    input.onChange('')
    field.current?.focus()
  }
  return (
    <Stack gap={4} align="flex-start">
      <TextInput
        {...input}
        ref={field}
        w="100%"
        label={isRecovery ? fields.recoveryCode : fields.code}
        description={isRecovery ? fields.recoveryCodeUse : fields.codeUse}
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        required
      />
      <Anchor component="button" type="button" size="sm" onClick={change}>
        {isRecovery ? fields.byApp : fields.byRecoveryCode}
      </Anchor>
    </Stack>
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
