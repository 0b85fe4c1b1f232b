import type { Digested, WriteEntry } from '@rollkey/contract'
import { useState } from 'react'
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { FocusRegion } from '../../../ui/focus-region.tsx'
import { useReveal } from '../use-reveal.ts'
import { useStageVariable } from '../use-stage-variable.ts'
import { useVariableChange, type VariableChange } from '../../changes/use-variable-change.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Place } from '../queries.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { useLeave } from '../../../ui/use-unsaved.ts'
import { VariableLook } from './variable-look.tsx'
import { ChangedNotice } from './changed-notice.tsx'
import { SaveProblem } from './save-problem.tsx'
import { draftOf, newDraft } from './draft.ts'
import { VariableForm } from './variable-form.tsx'

interface ExistingVariableProps {
  readonly name: string
  readonly stage: Stage
  readonly place: Place
  readonly isReadOnly: boolean
  readonly onClose: () => void
}

interface Begun {
  readonly mode: 'edit' | 'delete'
  readonly variable: Digested
  readonly revision: number
}

/** A variable of a stage: what it is, its values if they are asked for, and what can be done with it. */
export function ExistingVariable({ name, stage, place, isReadOnly, onClose }: ExistingVariableProps) {
  const now = useStageVariable(place, name)
  // What others change after one began is a conflict; until then it is shown.
  const [begun, setBegun] = useState<Begun | undefined>()
  const { variable, revision } = begun ?? now
  const revealing = useReveal(place, name, now.variable)
  const save = useVariableChange({ place, name, before: variable, revision }, onClose)
  const look = (): void => {
    save.reset()
    setBegun(undefined)
  }
  return (
    <FocusRegion key={begun?.mode}>
      {begun?.mode === 'edit' && (
        <EditForm
          stage={stage}
          place={place}
          variable={begun.variable}
          revealed={save.collected?.entry ?? revealing.entry}
          save={save}
          onCancel={look}
        />
      )}
      {begun?.mode === 'delete' && (
        <DeletionQuestion place={place} name={name} stage={stage.name} save={save} onCancel={look} />
      )}
      {!begun && (
        <VariableLook
          name={name}
          stage={stage}
          place={place}
          {...now}
          revealing={revealing}
          collected={save.collected}
          isReadOnly={isReadOnly}
          onBegin={(mode) => now.variable && setBegun({ mode, variable: now.variable, revision })}
          onSaved={onClose}
        />
      )}
    </FocusRegion>
  )
}

interface DeletionQuestionProps {
  readonly place: Place
  readonly name: string
  /** As people see it. */
  readonly stage: string
  readonly save: VariableChange
  readonly onCancel: () => void
}

function DeletionQuestion({ place, name, stage, save, onCancel }: DeletionQuestionProps) {
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
          Stage change
        </Button>
        <BusyButton color="red" isBusy={save.isPending} onClick={() => save.mutate({ do: 'delete', name })}>
          Delete
        </BusyButton>
      </Group>
    </Stack>
  )
}

interface EditFormProps {
  readonly stage: Stage
  readonly place: Place
  readonly variable: Digested
  /** Its values, where they were revealed before. */
  readonly revealed: WriteEntry | undefined
  readonly save: VariableChange
  readonly onCancel: () => void
}

/** States the variable anew. Values that are hidden stay so: what is entered replaces them. */
function EditForm({ stage, place, variable, revealed, save, onCancel }: EditFormProps) {
  const { name, declaredType } = variable
  // What is being edited does not hide itself.
  const [initial] = useState(revealed)
  const leave = useLeave()
  return (
    <Stack maw={480}>
      <Group>
        <Badge>{stage.name}</Badge>
      </Group>
      {!initial && (
        <Text size="sm" c="dimmed">
          The present value stays hidden, and what you enter replaces it. To change a part of it, go back and reveal it
          first.
        </Text>
      )}
      <ChangedNotice place={place} name={name} save={save}>
        What you entered is still here; saving it asks first.
      </ChangedNotice>
      <VariableForm
        initial={initial ? draftOf(initial) : newDraft(name, variable)}
        mayBeUndeclared={declaredType === undefined}
        mayBeEmpty={initial !== undefined}
        mayKeep={initial === undefined}
        save={{ ...save, mutate: (entry) => save.mutate({ do: 'write', entry }) }}
      />
      <Button variant="default" onClick={() => leave(onCancel)}>
        Back
      </Button>
    </Stack>
  )
}
