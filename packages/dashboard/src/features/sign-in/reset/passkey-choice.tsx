import { Checkbox, Stack } from '@mantine/core'
import { absoluteDate } from '../../../lib/time.ts'
import type { Reset } from '../../members/links.ts'

interface PasskeyChoiceProps {
  readonly passkeys: Reset['passkeys']
  /** Ids of those that are kept. */
  readonly value?: string[]
  readonly onChange?: (kept: string[]) => void
}

export function PasskeyChoice({ passkeys, value, onChange }: PasskeyChoiceProps) {
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
