import { Group, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { toast } from '../../../ui/toast.ts'
import { useUnsaved } from '../../../ui/use-unsaved.ts'
import { moveSentence, percentText } from '../../rolls/chance.ts'
import type { Place } from '../queries.ts'
import { useUndo } from '../undo.ts'
import { useSave } from '../use-save.ts'
import { ChanceInput } from './chance-input.tsx'
import { labels } from './labels.ts'
import { ChangedNotice } from './recent-changes.tsx'
import { SaveProblem } from './save-problem.tsx'

interface ChanceFormProps {
  readonly place: Place
  readonly name: string
  /** The chance at the revision. */
  readonly chance: number
  readonly revision: number
  /** Called when a chance is saved. */
  readonly onSaved?: () => void
}

/** Changes the chance of a roll without its values. */
export function ChanceForm({ place, name, chance, revision, onSaved }: ChanceFormProps) {
  // A change by others after a person began to choose is a conflict.
  const [choice, setChoice] = useState<{ readonly chance: number; readonly revision: number }>()
  const form = useRef<HTMLDivElement>(null)
  const undoOf = useUndo()
  const save = useSave((saved) => {
    if (choice) toast.success(labels.chanceSaved(name, percentText(choice.chance), place.stageSlug), undoOf(saved))
    setChoice(undefined)
    // The button that had the focus is disabled now.
    form.current?.focus()
    onSaved?.()
  })
  const chosen = choice?.chance ?? chance
  const seen = save.seenNow(place, choice?.revision ?? revision)
  const choose = (next: number): void => {
    save.reset()
    setChoice(next === chance ? undefined : { chance: next, revision: choice?.revision ?? revision })
  }
  useUnsaved(choice !== undefined)
  return (
    <Stack ref={form} tabIndex={-1} className="focused-part" gap="xs">
      <ChanceInput value={chosen} onChange={choose} />
      {chosen !== chance && <Text size="sm">{moveSentence(chance, chosen)}</Text>}
      {choice && (
        <ChangedNotice place={place} name={name} seen={seen} isSaving={save.isPending}>
          {labels.choiceNotice}
        </ChangedNotice>
      )}
      {save.failures.map(({ error }) => (
        <SaveProblem key={place.stageSlug} error={error} />
      ))}
      <Group>
        <BusyButton
          disabled={chosen === chance}
          isBusy={save.isPending}
          onClick={() =>
            save.mutate([{ place, change: { do: 'attributes', name, changes: { chance: chosen } }, seen }])
          }
        >
          {labels.saveChance}
        </BusyButton>
      </Group>
    </Stack>
  )
}
