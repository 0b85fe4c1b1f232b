import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { copiesOf, copyVariables, type Copy } from './copy.ts'
import { projectsQuery } from '../../projects/queries.ts'
import { digestsQuery, type Place } from '../queries.ts'
import { useScope } from '../../../session/use-scope.ts'

/** What can be copied between two stages, and the copying of some of it. `onCopied`: told when the table shows it. */
export function useCopy(from: Place, to: Place, onCopied: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const source = useQuery(digestsQuery(scope, from))
  const target = useQuery(digestsQuery(scope, to))
  const copies = source.data && target.data && copiesOf(source.data.variables, target.data.variables)
  const copy = useMutation({
    mutationFn: async (chosen: readonly Copy[]) => {
      if (!source.data || !target.data) return
      const names = chosen.map(({ name }) => name)
      await copyVariables(scope, { place: from, contents: source.data }, { place: to, contents: target.data }, names)
    },
    onSuccess: onCopied,
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await Promise.all([from, to].map((place) => queryClient.invalidateQueries(digestsQuery(scope, place))))
    },
  })
  return { copies, error: source.error ?? target.error ?? copy.error, copy }
}
