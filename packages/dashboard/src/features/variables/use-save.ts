import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useScope } from '../../session/use-scope.ts'
import { Conflict } from '../changes/conflict.ts'
import { projectsQuery } from '../projects/queries.ts'
import { isOfStage, type Place } from './queries.ts'
import { save, type Save, type Saved } from './save.ts'

export interface StageSave {
  readonly place: Place
  readonly change: Save
  /** The revision of the stage that the person saw. */
  readonly seen: number
}

interface SaveFailure {
  readonly place: Place
  readonly error: unknown
}

interface Attempts {
  readonly saved: readonly Saved[]
  /** Of the last attempt. */
  readonly failures: readonly SaveFailure[]
}

const none: Attempts = { saved: [], failures: [] }

/**
 * Saves a variable in stages, in each of them completely or not at all. A failure in one does not stop the others, and the
 * next attempt leaves out what is saved. A person who saw a conflict replaces what others did when saving again. `onSaved` is
 * called when all is saved and the table shows it.
 */
export function useSave(onSaved: (saved: readonly Saved[]) => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [{ saved, failures }, setAttempts] = useState(none)
  const mutation = useMutation({
    mutationFn: async (saves: readonly StageSave[]): Promise<Attempts> => {
      const attempts = { saved: [...saved], failures: [] as SaveFailure[] }
      for (const { place, change, seen } of saves) {
        if (isIn(saved, place)) continue
        try {
          attempts.saved.push(await save(scope, place, change, seenNow(place, seen)))
        } catch (error) {
          attempts.failures.push({ place, error })
        }
      }
      return attempts
    },
    // A saved change has values, so it is not kept.
    gcTime: 0,
    onSuccess: async (attempts, saves) => {
      setAttempts(attempts)
      void queryClient.invalidateQueries(projectsQuery(scope))
      await Promise.all(saves.map(({ place }) => queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })))
      if (attempts.failures.length === 0) onSaved(attempts.saved)
    },
  })
  /** The revision from which on a change by others is a conflict. */
  const seenNow = (place: Place, seen: number): number => {
    const error = failures.find((failure) => isSamePlace(failure.place, place))?.error
    return error instanceof Conflict ? Math.max(seen, error.revision) : seen
  }
  return {
    mutate: mutation.mutate,
    isPending: mutation.isPending,
    saved,
    failures,
    seenNow,
    reset: () => setAttempts(none),
  }
}

export type SaveState = ReturnType<typeof useSave>

function isSamePlace(one: Place, other: Place): boolean {
  return one.projectSlug === other.projectSlug && one.stageSlug === other.stageSlug
}

export function isIn(saved: readonly Saved[], place: Place): boolean {
  return saved.some((each) => isSamePlace(each.place, place))
}
