import { Stack, Title } from '@mantine/core'
import type { PendingChange } from './change-set.ts'
import { ChangeItem } from './change-item.tsx'

interface StageChangesProps {
  /** As people see it. */
  readonly stage: string
  readonly changes: readonly PendingChange[]
  readonly onTakeOut: (change: PendingChange) => void
}

export function StageChanges({ stage, changes, onTakeOut }: StageChangesProps) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h4">
        {stage}
      </Title>
      <Stack component="ul" className="plain-list" gap={0}>
        {changes.map((change) => (
          <ChangeItem key={change.name} stage={stage} change={change} onTakeOut={() => onTakeOut(change)} />
        ))}
      </Stack>
    </Stack>
  )
}
