import type { Stage } from '@rollkey/sdk/core'
import { Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { plainQuery } from '../../../data/variables/queries.ts'
import { ask, useScope } from '../../../session/scope.ts'
import { BusyButton } from '../../../ui/buttons.tsx'
import { toast } from '../../../ui/toast.tsx'
import { labels } from './labels.ts'

interface LockedStagesProps {
  readonly projectSlug: string
  /** Protected stages whose plain values need a fresh confirmation. */
  readonly stages: readonly Stage[]
}

/** Says why cells of protected stages show no plain values, and offers to confirm again in place. */
export function LockedStages({ projectSlug, stages }: LockedStagesProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const places = stages.map(({ stageSlug }) => ({ projectSlug, stageSlug }))
  const confirmation = useMutation({
    mutationFn: async () => {
      const [first] = places
      if (first) await ask(scope, 'plain', first)
      await Promise.all(places.map((place) => queryClient.refetchQueries(plainQuery(scope, place))))
    },
    onError: (error) => toast.error(error),
    // The answer has values.
    gcTime: 0,
  })
  if (stages.length === 0) return null
  return (
    <Group mt="xs" gap="xs" role="status">
      <Text size="sm">{labels.locked(stages.map(({ name }) => name))}</Text>
      <BusyButton
        size="compact-sm"
        variant="default"
        isBusy={confirmation.isPending}
        onClick={() => confirmation.mutate()}
      >
        {labels.confirm}
      </BusyButton>
    </Group>
  )
}
