import { Stack } from '@mantine/core'
import type { ToldChange } from './revisions.ts'
import type { Place } from '../variables/queries.ts'
import { ChangeItem } from './change-item.tsx'

interface ChangeItemsProps {
  readonly changes: readonly ToldChange[]
  readonly place: Place
  readonly showsDigests: boolean
}

export function ChangeItems({ changes, ...props }: ChangeItemsProps) {
  return (
    <Stack component="ul" className="plain-list" gap="xs">
      {changes.map((told) => (
        <ChangeItem key={told.change.name} told={told} {...props} />
      ))}
    </Stack>
  )
}
