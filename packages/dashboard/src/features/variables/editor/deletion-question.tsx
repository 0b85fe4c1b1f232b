import { Button, Group, Stack, Text } from '@mantine/core'
import { BusyButton } from '../../../ui/busy-button.tsx'
import type { VariableChange } from '../../changes/use-variable-change.ts'
import type { Place } from '../queries.ts'
import { ChangedNotice } from './changed-notice.tsx'
import { SaveProblem } from './save-problem.tsx'

interface DeletionQuestionProps {
  readonly place: Place
  readonly name: string
  /** As people see it. */
  readonly stage: string
  readonly save: VariableChange
  readonly onCancel: () => void
}

export function DeletionQuestion({ place, name, stage, save, onCancel }: DeletionQuestionProps) {
  return (
    <Stack>
      <Text className="wrapping">
        Delete {name} from {stage}? Applications that ask for it there get an error from then on.
      </Text>
      <ChangedNotice place={place} name={name} save={save}>
        Deleting it asks first.
      </ChangedNotice>
      <SaveProblem error={save.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button variant="default" onClick={() => save.add(undefined)}>
          Add to changes
        </Button>
        <BusyButton color="red" isBusy={save.isPending} onClick={() => save.mutate({ do: 'delete', name })}>
          Confirm deletion
        </BusyButton>
      </Group>
    </Stack>
  )
}
