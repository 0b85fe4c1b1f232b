import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { projectsQuery } from '../projects/queries.ts'
import { restorePreviewQuery, restoreVariables, type Past } from './restore.ts'
import { isOfStage, type Place } from '../variables/queries.ts'
import { useScope } from '../../session/use-scope.ts'

/** What going back would do, and the doing of it. */
export function useRestore(place: Place, past: Past) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { data: preview, error } = useQuery(restorePreviewQuery(scope, place, past))
  const restore = useMutation({
    mutationFn: (seen: number) => restoreVariables(scope, place, past, seen),
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
    },
  })
  return { preview, error: error ?? restore.error, restore }
}
