import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { passwordCharacters } from '../lib/validation.ts'

const { least, most } = passwordCharacters

export function NewPasswordInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="Password"
      description={`${least} to ${most} characters`}
      autoComplete="new-password"
      required
      {...props}
    />
  )
}
