import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { limits } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChanges } from '../../changes/changes-context.ts'
import { useScope } from '../../../session/use-scope.ts'
import { deletionsOf } from '../../changes/change-set.ts'
import type { Stage } from '../../projects/queries.ts'
import { digestsQuery } from '../queries.ts'

interface DeleteSelectedProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  /** Names. */
  readonly selected: ReadonlySet<string>
  readonly onDone: () => void
}

/** Collects the deletion of variables from a stage, which is looked at before it is saved. */
export function DeleteSelected({ projectSlug, stages, selected, onDone }: DeleteSelectedProps) {
  const [stageSlug, setStageSlug] = useState(stages[0]?.stageSlug ?? '')
  const { add, review } = useChanges()
  const { data } = useQuery(digestsQuery(useScope(), { projectSlug, stageSlug }))
  const deletions = data ? deletionsOf(selected, stageSlug, data) : []
  const count = deletions.filter(({ before }) => before).length
  const stage = stages.find((each) => each.stageSlug === stageSlug)
  const isTooMuch = count > limits.entries
  const showDeletions = (): void => {
    onDone()
    add(deletions)
    review()
  }
  return (
    <Group w="100%" gap="xs">
      <Text role="status" size="sm" miw={90}>
        {isTooMuch ? `At most ${limits.entries} are deleted at once. Select fewer.` : `${selected.size} selected`}
      </Text>
      <NativeSelect
        size="sm"
        aria-label="Stage to delete from"
        data={stages.map((each) => ({ value: each.stageSlug, label: each.name }))}
        value={stageSlug}
        onChange={(event) => setStageSlug(event.currentTarget.value)}
      />
      <Button size="sm" variant="default" disabled={count === 0 || isTooMuch} onClick={showDeletions}>
        Delete {count} from {stage?.name}
      </Button>
    </Group>
  )
}
