import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { pastesOf, savePastes, type Paste } from '../variables/paste.ts'
import { projectsQuery } from '../variables/projects.ts'
import { digestsQuery, type Place } from '../variables/stage.ts'
import { useScope } from './use-scope.ts'

/** What a text would do to a stage, and the doing of it. `onSaved`: told when the table shows it. */
export function usePaste(text: string, place: Place, onSaved: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { data, error } = useQuery(digestsQuery(scope, place))
  const save = useMutation({
    mutationFn: async (pastes: readonly Paste[]) => savePastes(scope, place, pastes, data?.revision ?? 0),
    // What was saved has values, and is not kept.
    gcTime: 0,
    onSuccess: onSaved,
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await queryClient.invalidateQueries(digestsQuery(scope, place))
    },
  })
  return { pastes: data ? pastesOf(text, data.variables) : [], error: error ?? save.error, save }
}
