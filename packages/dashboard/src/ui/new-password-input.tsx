import { PasswordInput, Progress, Stack, type PasswordInputProps } from '@mantine/core'
import { passwordStrength } from '../lib/password-strength.ts'
import { passwordCharacters } from '../lib/validation.ts'

const { least, most } = passwordCharacters

const levels = {
  weak: { share: 33, color: 'red', text: 'Weak. Use several words or more characters.' },
  fair: { share: 66, color: 'yellow', text: 'Fair. Longer is stronger.' },
  strong: { share: 100, color: 'verdigris', text: 'Strong' },
} as const

/** Takes a new password and shows an estimate of its strength. */
export function NewPasswordInput(props: PasswordInputProps) {
  const password = typeof props.value === 'string' ? props.value : ''
  const level = password === '' ? undefined : levels[passwordStrength(password)]
  return (
    <Stack gap={6}>
      <PasswordInput
        label="Password"
        autoComplete="new-password"
        required
        {...props}
        description={level?.text ?? `${least} to ${most} characters`}
      />
      {level && <Progress size={4} color={level.color} value={level.share} aria-hidden />}
    </Stack>
  )
}
