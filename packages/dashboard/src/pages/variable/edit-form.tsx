import { Button, Stack, Text } from '@mantine/core'
import type { Digested, WriteEntry } from '@rollkey/contract'
import { useState } from 'react'
import type { VariableChange } from '../../hooks/use-variable-change.ts'
import { draftOf, newDraft } from '../../variables/draft.ts'
import { VariableForm } from './variable-form.tsx'

interface EditFormProps {
  readonly variable: Digested
  /** Its values, where they were revealed before. */
  readonly revealed: WriteEntry | undefined
  readonly save: VariableChange
  readonly onCancel: () => void
}

/** States the variable anew. Values that are hidden stay so: what is entered replaces them. */
export function EditForm({ variable, revealed, save, onCancel }: EditFormProps) {
  // What is being edited does not hide itself.
  const [initial] = useState(revealed)
  return (
    <Stack maw={480}>
      {!initial && (
        <Text size="sm" c="dimmed">
          The present value stays hidden, and what you enter replaces it. To change a part of it, go back and reveal it
          first.
        </Text>
      )}
      <VariableForm
        initial={initial ? draftOf(initial) : newDraft(variable.name, variable)}
        mayBeUndeclared={variable.declaredType === undefined}
        mayBeEmpty={initial !== undefined}
        save={{ ...save, mutate: (entry) => save.mutate({ do: 'write', entry }) }}
      />
      <Button variant="default" onClick={onCancel}>
        Back
      </Button>
    </Stack>
  )
}
