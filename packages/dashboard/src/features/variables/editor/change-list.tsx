import { Stack } from '@mantine/core'
import type { Change } from '../change.ts'
import { ChangeText } from './change-text.tsx'

interface ChangeListProps {
  /** Of one variable. */
  readonly changes: readonly Change[]
}

export function ChangeList({ changes }: ChangeListProps) {
  return (
    <Stack component="ul" className="plain-list wrapping" gap="xs">
      {changes.map((change) => (
        <li key={change.revision}>
          <ChangeText change={change} />
        </li>
      ))}
    </Stack>
  )
}
