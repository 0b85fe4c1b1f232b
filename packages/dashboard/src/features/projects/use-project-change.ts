import { useMutation, useQueryClient } from '@tanstack/react-query'
import { projectsQuery } from './queries.ts'
import { useScope } from '../../session/use-scope.ts'

/** A change of projects or stages; done when the list shows it. */
export function useProjectChange<Change>(change: (what: Change) => Promise<void>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries(projectsQuery(scope)),
  })
}
