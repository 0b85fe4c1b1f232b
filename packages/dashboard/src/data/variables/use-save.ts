import type { StageSlugs } from '@rollkey/sdk/core'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Conflict } from '../unsaved-changes/change-set.ts'
import { type Outcome, useStageWrite } from './use-stage-write.ts'
import type { Saved, StageWrite } from './write.ts'

/** All that is saved or proposed, and the failures of the last attempt. */
const none: Outcome = { saved: [], proposed: [], failures: [] }

interface SaveOptions {
  /** Says what was saved. */
  readonly textOf: (saved: readonly Saved[]) => string
  /** Runs when all is saved or proposed, and the table shows it. */
  readonly onSaved: (saved: readonly Saved[]) => void
}

/**
 * Saves a form in stages, in each of them completely or not at all. The next attempt leaves out what is saved, and after a conflict
 * replaces the changes of others.
 */
export function useSave({ textOf, onSaved }: SaveOptions) {
  const { write, confirm } = useStageWrite()
  const [{ saved, proposed, failures }, setAttempts] = useState(none)
  const done = useMemo(() => [...saved, ...proposed], [saved, proposed])
  const mutation = useMutation({
    mutationFn: async (writes: readonly StageWrite[]): Promise<Outcome> => {
      const next = await write(...writes.filter(({ place }) => !isIn(done, place)))
      await next.shown
      return {
        saved: [...saved, ...next.saved],
        proposed: [...proposed, ...next.proposed],
        failures: next.failures,
      }
    },
    // What is saved has values, so it is not kept.
    gcTime: 0,
    onSuccess: (attempts) => {
      setAttempts(attempts)
      if (attempts.failures.length > 0) return
      confirm(attempts, textOf(attempts.saved))
      onSaved(attempts.saved)
    },
  })
  return {
    mutate: mutation.mutate,
    isPending: mutation.isPending,
    saved,
    /** What is saved or proposed. */
    done,
    failures,
    /** Returns the revision after which a change by others is a conflict. */
    seenNow: (place: StageSlugs, seen: number): number => {
      const error = failures.find((failure) => isSamePlace(failure.place, place))?.error
      return error instanceof Conflict ? Math.max(seen, error.revision) : seen
    },
    reset: () => setAttempts(none),
  }
}

export type SaveState = ReturnType<typeof useSave>

function isSamePlace(one: StageSlugs, other: StageSlugs): boolean {
  return one.projectSlug === other.projectSlug && one.stageSlug === other.stageSlug
}

export function isIn(saved: readonly Pick<Saved, 'place'>[], place: StageSlugs): boolean {
  return saved.some((each) => isSamePlace(each.place, place))
}
