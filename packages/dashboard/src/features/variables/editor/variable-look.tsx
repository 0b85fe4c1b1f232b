import { Stack, Text } from '@mantine/core'
import type { Digested } from '@rollkey/contract'
import { chanceSentence } from '../../rolls/chance.ts'
import { Notice } from '../../../ui/notice.tsx'
import type { useReveal } from '../use-reveal.ts'
import type { PendingChange } from '../../changes/change-set.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Place } from '../queries.ts'
import { ChanceForm } from './chance-form.tsx'
import { PendingNotice } from './pending-notice.tsx'
import { RecentChanges } from './recent-changes.tsx'
import { RevealedValues } from './revealed-values.tsx'
import { VariableActions } from './variable-actions.tsx'
import { VariableFacts } from './variable-facts.tsx'

interface VariableLookProps {
  readonly name: string
  readonly stage: Stage
  readonly place: Place
  /** As it is now; undefined: somebody deleted it. */
  readonly variable: Digested | undefined
  readonly revision: number
  readonly revealing: ReturnType<typeof useReveal>
  readonly collected: PendingChange | undefined
  readonly isReadOnly: boolean
  readonly onBegin: (mode: 'edit' | 'delete') => void
  readonly onSaved: () => void
}

/** A variable as it is, also when somebody changes it meanwhile. */
export function VariableLook({ name, stage, place, variable, revision, isReadOnly, ...props }: VariableLookProps) {
  const chance = variable?.chance
  return (
    <Stack gap="lg">
      {props.collected && <PendingNotice change={props.collected} />}
      {variable ? (
        <>
          <VariableFacts variable={variable} stage={stage} />
          <RevealedValues {...props.revealing} />
        </>
      ) : (
        <Notice kind="warning">It was deleted meanwhile, and is no longer in {stage.name}.</Notice>
      )}
      {chance !== undefined && !isReadOnly && (
        <ChanceForm place={place} name={name} chance={chance} revision={revision} onSaved={props.onSaved} />
      )}
      {isReadOnly && (
        <Text>
          {chance !== undefined && chanceSentence(chance)} This project is in the archive, so nothing can be changed.
        </Text>
      )}
      {variable && (
        <VariableActions place={place} variable={variable} isReadOnly={isReadOnly} onBegin={props.onBegin} />
      )}
      <RecentChanges place={place} name={name} />
    </Stack>
  )
}
