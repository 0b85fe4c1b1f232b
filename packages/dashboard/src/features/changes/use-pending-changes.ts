import { useMemo, useState } from 'react'
import { inKnowledgeOf, withChanges, type PendingChange } from './change-set.ts'
import type { Changes } from './changes-context.ts'

interface State {
  readonly pending: readonly PendingChange[]
  readonly isReviewing: boolean
}

const nothing: State = { pending: [], isReviewing: false }

/** Changes that nobody has saved yet. They are in the state of the component alone, and go with it. */
export function usePendingChanges(): Changes {
  const [state, setState] = useState(nothing)
  const actions = useMemo(() => {
    const change = (next: (pending: State['pending']) => State['pending']): void =>
      setState(({ pending, isReviewing }) => {
        const left = next(pending)
        return left.length === 0 ? nothing : { pending: left, isReviewing }
      })
    const setReviewing = (isReviewing: boolean): void => setState(({ pending }) => ({ pending, isReviewing }))
    return {
      add: (added) => change((pending) => withChanges(pending, added)),
      takeOut: (taken) => change((pending) => pending.filter((each) => !taken.includes(each))),
      accept: (conflict) => change((pending) => inKnowledgeOf(pending, conflict)),
      review: () => setReviewing(true),
      endReview: () => setReviewing(false),
    } satisfies Partial<Changes>
  }, [])
  return { ...state, ...actions }
}
