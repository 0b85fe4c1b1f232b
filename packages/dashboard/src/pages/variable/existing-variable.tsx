import { Button, Group, Stack } from '@mantine/core'
import type { Digested } from '@rollkey/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ButtonLink } from '../../components/button-link.tsx'
import { FocusedPart } from '../../components/focused-part.tsx'
import { useReveal } from '../../hooks/use-reveal.ts'
import { useScope } from '../../hooks/use-scope.ts'
import { useVariableChange } from '../../hooks/use-variable-change.ts'
import type { Stage } from '../../variables/projects.ts'
import { digestsQuery, type Place } from '../../variables/stage.ts'
import { ChanceForm } from './chance-form.tsx'
import { DeletionQuestion } from './deletion-question.tsx'
import { EditForm } from './edit-form.tsx'
import { PendingNotice } from './pending-notice.tsx'
import { RecentChanges } from './recent-changes.tsx'
import { RevealedValues } from './revealed-values.tsx'
import { VariableFacts } from './variable-facts.tsx'

interface ExistingVariableProps {
  readonly variable: Digested
  readonly stage: Stage
  readonly place: Place
  readonly onClose: () => void
}

/** A variable of a stage: what it is, its values if they are asked for, and what can be done with it. */
export function ExistingVariable({ variable, stage, place, onClose }: ExistingVariableProps) {
  const { name, chance } = variable
  const scope = useScope()
  const contents = useQueryClient().getQueryData(digestsQuery(scope, place).queryKey)
  const [mode, setMode] = useState<'look' | 'edit' | 'delete'>('look')
  const revealing = useReveal(place, name)
  // As it was when this was opened: what others change later is a conflict.
  const [revision] = useState(contents?.revision ?? 0)
  const save = useVariableChange({ place, name, before: variable, revision }, onClose)
  const look = (): void => {
    save.reset()
    setMode('look')
  }
  return (
    <FocusedPart key={mode}>
      {mode === 'edit' && (
        <EditForm variable={variable} revealed={save.collected?.entry ?? revealing.entry} save={save} onCancel={look} />
      )}
      {mode === 'delete' && <DeletionQuestion name={name} stage={stage.name} save={save} onCancel={look} />}
      {mode === 'look' && (
        <Stack gap="lg">
          {save.collected && <PendingNotice change={save.collected} />}
          <VariableFacts variable={variable} stage={stage} />
          <RevealedValues {...revealing} />
          {chance !== undefined && (
            <ChanceForm place={place} name={name} chance={chance} revision={revision} onSaved={onClose} />
          )}
          <Group>
            <Button onClick={() => setMode('edit')}>Edit</Button>
            <Button variant="default" onClick={() => setMode('delete')}>
              Delete
            </Button>
            {chance !== undefined && (
              <ButtonLink
                variant="default"
                to="/projects/$projectSlug/roll"
                params={{ projectSlug: place.projectSlug }}
                search={{ stage: place.stageSlug, name }}
              >
                Rollout
              </ButtonLink>
            )}
          </Group>
          <RecentChanges place={place} name={name} />
        </Stack>
      )}
    </FocusedPart>
  )
}
