import { useMutation, useQueryClient } from '@tanstack/react-query'
import { byStage } from './change-set.ts'
import { Conflict } from './conflict.ts'
import { projectsQuery } from '../projects/queries.ts'
import { saveAll } from '../variables/save.ts'
import { isOfStage, type Place } from '../variables/queries.ts'
import { useChanges } from './changes-context.ts'
import { useScope } from '../../session/use-scope.ts'

/**
 * Saves what is collected, stage by stage; what is saved is collected no longer. Whoever was told of a conflict saves the
 * next time in knowledge of it. `onSaved`: told when the table shows all.
 */
export function useSaveChanges(projectSlug: string, onSaved: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { pending, takeOut, accept } = useChanges()
  const refresh = async (place: Place): Promise<void> => {
    void queryClient.invalidateQueries(projectsQuery(scope))
    await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
  }
  return useMutation({
    mutationFn: async () => {
      for (const [stageSlug, changes] of byStage(pending)) {
        const place = { projectSlug, stageSlug }
        await saveAll(scope, place, changes)
        await refresh(place)
        takeOut(changes)
      }
    },
    onError: (error) => {
      if (!(error instanceof Conflict)) return
      accept(error)
      void refresh({ projectSlug, stageSlug: error.stageSlug })
    },
    onSuccess: onSaved,
  })
}
