import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { Digested, WriteEntry } from '@rollkey/contract'
import { useState } from 'react'
import { useLeave } from '../../../ui/use-unsaved.ts'
import type { VariableChange } from '../../changes/use-variable-change.ts'
import { draftOf, newDraft } from './draft.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Place } from '../queries.ts'
import { ChangedNotice } from './changed-notice.tsx'
import { VariableForm } from './variable-form.tsx'

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
export function EditForm({ stage, place, variable, revealed, save, onCancel }: EditFormProps) {
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
