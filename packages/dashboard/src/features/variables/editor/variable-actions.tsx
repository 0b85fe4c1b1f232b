import { Button, Group } from '@mantine/core'
import type { Digested } from '@rollkey/contract'
import { ButtonLink } from '../../../ui/button-link.tsx'
import type { Place } from '../queries.ts'

interface VariableActionsProps {
  readonly place: Place
  readonly variable: Digested
  readonly isReadOnly: boolean
  readonly onBegin: (mode: 'edit' | 'delete') => void
}

/** What can be done with a variable. */
export function VariableActions({ place, variable, isReadOnly, onBegin }: VariableActionsProps) {
  const { projectSlug, stageSlug: stage } = place
  const { name, kind } = variable
  return (
    <Group>
      {!isReadOnly && (
        <>
          <Button onClick={() => onBegin('edit')}>Edit</Button>
          <Button variant="default" onClick={() => onBegin('delete')}>
            Delete
          </Button>
        </>
      )}
      {kind === 'ab_roll' && (
        <ButtonLink
          variant="default"
          from="/o/$orgSlug"
          to="./p/$projectSlug/roll"
          params={{ projectSlug }}
          search={{ stage, name }}
        >
          Rollout
        </ButtonLink>
      )}
    </Group>
  )
}
