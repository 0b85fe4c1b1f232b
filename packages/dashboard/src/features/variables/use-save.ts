import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Conflict } from '../changes/conflict.ts'
import { projectsQuery } from '../projects/queries.ts'
import { save, type Save, type Saved } from './save.ts'
import { isOfStage, type Place } from './queries.ts'
import { useScope } from '../../session/use-scope.ts'

/**
 * Saves a variable unless someone changed it since the revision. A person who saw a conflict replaces what others did when
 * saving again. `onSaved` is called when the table shows the change.
 */
export function useSave(place: Place, revision: number, onSaved: (saved: Saved, change: Save) => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [known, setKnown] = useState(0)
  const seen = Math.max(revision, known)
  const mutation = useMutation({
    mutationFn: (change: Save) => save(scope, place, change, seen),
    // A saved change has values, so it is not kept.
    gcTime: 0,
    onError: (error) => {
      if (error instanceof Conflict) setKnown(error.revision)
    },
    onSuccess: async (saved, change) => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
      onSaved(saved, change)
    },
  })
  return { ...mutation, seen }
}
