import type { Digested } from '@rollkey/contract'
import { useState } from 'react'
import { FocusedPart } from '../../../ui/focus-region.tsx'
import { useReveal } from '../use-reveal.ts'
import { useStageVariable } from '../use-stage-variable.ts'
import { useVariableChange } from '../../changes/use-variable-change.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Place } from '../queries.ts'
import { DeletionQuestion } from './deletion-question.tsx'
import { EditForm } from './edit-form.tsx'
import { VariableLook } from './variable-look.tsx'

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
    <FocusedPart key={begun?.mode}>
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
    </FocusedPart>
  )
}
