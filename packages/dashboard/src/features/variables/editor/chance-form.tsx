import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { moveSentence } from '../../rolls/chance.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { FocusRegion } from '../../../ui/focus-region.tsx'
import { useSave } from '../use-save.ts'
import { useUnsaved } from '../../../ui/use-unsaved.ts'
import type { Place } from '../queries.ts'
import { ChanceInput } from './chance-input.tsx'
import { ChangedNotice } from './changed-notice.tsx'
import { SaveProblem } from './save-problem.tsx'

interface ChanceFormProps {
  readonly place: Place
  readonly name: string
  /** At the revision. */
  readonly chance: number
  readonly revision: number
  readonly onSaved?: () => void
}

/** Moves the chance of a roll, for which nobody needs to see its values. */
export function ChanceForm({ place, name, chance, revision, onSaved }: ChanceFormProps) {
  // What others change after one began to choose is a conflict.
  const [choice, setChoice] = useState<{ readonly chance: number; readonly revision: number }>()
  const chosen = choice?.chance ?? chance
  const save = useSave(place, choice?.revision ?? revision, () => {
    setChoice(undefined)
    onSaved?.()
  })
  const choose = (next: number): void => {
    save.reset()
    setChoice(next === chance ? undefined : { chance: next, revision: choice?.revision ?? revision })
  }
  useUnsaved(choice !== undefined)
  return (
    <Stack gap="xs">
      <ChanceInput value={chosen} onChange={choose} />
      {chosen !== chance && <Text size="sm">{moveSentence(chance, chosen)}</Text>}
      {choice && (
        <ChangedNotice place={place} name={name} save={save}>
          Your choice is still here; saving it asks first.
        </ChangedNotice>
      )}
      <SaveProblem error={save.error} />
      {save.isSuccess ? (
        <FocusRegion>
          <Text role="status">The chance is saved.</Text>
        </FocusRegion>
      ) : (
        <Group>
          <BusyButton
            disabled={chosen === chance}
            isBusy={save.isPending}
            onClick={() => save.mutate({ do: 'chance', name, chance: chosen })}
          >
            Save chance
          </BusyButton>
        </Group>
      )}
    </Stack>
  )
}
