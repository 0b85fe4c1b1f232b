import { createContext, use } from 'react'
import type { PendingChange } from './change-set.ts'
import type { Conflict } from './conflict.ts'

/** What is collected on the page of a project, and what can be done with it. */
export interface Changes {
  readonly pending: readonly PendingChange[]
  readonly add: (changes: readonly PendingChange[]) => void
  readonly takeOut: (changes: readonly PendingChange[]) => void
  /** From now on they replace what the conflict tells of. */
  readonly accept: (conflict: Conflict) => void
  readonly isReviewing: boolean
  readonly review: () => void
  readonly endReview: () => void
}

export const ChangesContext = createContext<Changes | undefined>(undefined)

export function useChanges(): Changes {
  const changes = use(ChangesContext)
  if (!changes) throw new Error('What collects changes is shown outside the page of a project.')
  return changes
}
