/** Changes that were proposed in place of writes: the toast, the link and the withdrawal. */
import type { StageSlugs } from '@rollkey/sdk/core'
import { useNavigate } from '@tanstack/react-router'
import { ask, useScope } from '../../session/scope.ts'
import { toast } from '../../ui/toast.tsx'
import type { ToastLink } from '../../ui/toasts.tsx'
import { useRefresh } from '../stages.ts'
import { labels } from './labels.ts'

/** A change that was proposed instead of a write. */
export interface Proposed {
  readonly place: StageSlugs
  readonly id: string
  /** The variables that it changes. */
  readonly names: readonly string[]
}

/** Returns a function that confirms proposed changes. The toast leads to the last one, and its undo withdraws them. */
export function useProposedToast(): (proposed: readonly Proposed[]) => void {
  const linkTo = useChangeLink()
  const withdraw = useWithdrawal()
  return (proposed) => {
    const last = proposed.at(-1)
    // A withdrawal deletes what was proposed, which no page keeps either.
    const reversal = { undo: () => withdraw(proposed), redo: undefined }
    if (last) toast.success(textOf(proposed), { link: linkTo(last), ...reversal })
  }
}

function textOf(proposed: readonly Proposed[]): string {
  return labels.proposed(
    namesIn(proposed),
    proposed.map((each) => each.place.stageSlug),
  )
}

function namesIn(proposed: readonly Proposed[]): string {
  const names = [...new Set(proposed.flatMap((each) => each.names))]
  return labels.names(names, names.length)
}

/** Returns a function that withdraws changes, and says what it did. */
export function useWithdrawal(): (proposed: readonly Proposed[]) => Promise<string> {
  const scope = useScope()
  const refresh = useRefresh()
  return async (proposed) => {
    await Promise.all(
      proposed.map(async ({ place, id }) => {
        await ask(scope, 'changeWithdraw', { ...place, id })
        await refresh(place)
      }),
    )
    return labels.withdrawn(namesIn(proposed))
  }
}

/** Returns a function that returns the button of a toast that leads to a change. */
export function useChangeLink(): (proposed: Pick<Proposed, 'place' | 'id'>) => ToastLink {
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  return ({ id, place }) => ({
    label: labels.showChange,
    go: () =>
      void navigate({
        to: './changes/$changeId',
        params: { changeId: id },
        search: { project: place.projectSlug, stage: place.stageSlug },
      }),
  })
}
