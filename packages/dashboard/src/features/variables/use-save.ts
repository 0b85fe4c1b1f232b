import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Conflict } from '../changes/conflict.ts'
import { projectsQuery } from '../projects/queries.ts'
import { save, type Save } from './save.ts'
import { changesQuery, digestsQuery, type Place } from './queries.ts'
import { useScope } from '../../session/use-scope.ts'

/**
 * Saves a variable unless somebody changed it since the revision. Whoever was told of a conflict saves the next time in
 * knowledge of it. `onSaved`: told when the table shows the change.
 */
export function useSave(place: Place, revision: number, onSaved: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [told, setTold] = useState(0)
  const refresh = async (name: string): Promise<void> => {
    void queryClient.invalidateQueries(projectsQuery(scope))
    void queryClient.invalidateQueries(changesQuery(scope, place, name))
    await queryClient.invalidateQueries(digestsQuery(scope, place))
  }
  const seen = Math.max(revision, told)
  const mutation = useMutation({
    mutationFn: (change: Save) => save(scope, place, change, seen),
    // What was saved has values, and is not kept.
    gcTime: 0,
    onError: (error) => {
      if (error instanceof Conflict) setTold(error.revision)
    },
    onSuccess: async (_, change) => {
      await refresh('entry' in change ? change.entry.name : change.name)
      onSaved()
    },
  })
  return { ...mutation, seen }
}
