import { Stack, Text } from '@mantine/core'
import { usePlaceChange } from './use-project-change.ts'
import type { PlaceChange } from './queries.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { ProblemNotice } from '../../ui/error-notice.tsx'

interface ArchiveFormProps {
  readonly what: 'project' | 'stage'
  readonly isArchived: boolean
  readonly change: (change: PlaceChange) => Promise<void>
  readonly onDone: () => void
}

/** Nothing is lost by it, so it does not ask twice. */
export function ArchiveForm({ what, isArchived, change, onDone }: ArchiveFormProps) {
  const archive = usePlaceChange(async (archived: boolean) => {
    await change({ archived })
    onDone()
    focusHeading()
  })
  return (
    <Stack>
      <Text>
        {isArchived
          ? `Out of the archive, this ${what} can be changed again.`
          : `In the archive, this ${what} is out of sight and cannot be changed. Applications read it as before.`}
      </Text>
      <ProblemNotice error={archive.error} />
      <BusyButton variant="default" isBusy={archive.isPending} onClick={() => archive.mutate(!isArchived)}>
        {isArchived ? `Take this ${what} out of the archive` : `Archive this ${what}`}
      </BusyButton>
    </Stack>
  )
}
