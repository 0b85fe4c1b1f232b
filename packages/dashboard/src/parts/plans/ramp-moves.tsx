import type { ListedChange } from '@rollkey/sdk/core'
import type { ReactNode } from 'react'
import { canMove } from '@rollkey/contract/rules'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { toast } from '../../ui/toast.tsx'
import { placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { labels } from './labels.ts'

/** Returns a button for each way to move a ramp, without questions. */
export function useMoves(proposal: ListedChange) {
  const scope = useScope()
  const place = placeOf(proposal)
  const { id, state, stepsDone, names } = proposal
  const [name = ''] = names
  const at = { ...place, id }
  const move = useProposalChange(
    place,
    async ({ done, run }: { readonly done: string; readonly run: () => Promise<unknown> }) => {
      await run()
      toast.success(done)
    },
  )
  const button = (label: string, done: string, run: () => Promise<unknown>): ReactNode => (
    <BusyButton
      size="xs"
      variant="default"
      isBusy={move.isPending}
      onClick={() => move.mutate({ done, run }, { onError: (error) => toast.error(error) })}
    >
      {label}
    </BusyButton>
  )
  return {
    pause: canMove(state, 'pause') && button(labels.pause, labels.paused(name), () => ask(scope, 'changePause', at)),
    resume:
      canMove(state, 'resume') && button(labels.resume, labels.resumed(name), () => ask(scope, 'changeResume', at)),
    skip:
      canMove(state, 'skip') &&
      button(labels.skip, labels.skipped(name), () =>
        ask(scope, 'changeSkip', { ...at, ...(stepsDone !== undefined && { stepsDone }) }),
      ),
  }
}

interface PauseButtonProps {
  readonly proposal: ListedChange
}

/** Offers to pause a ramp, or to resume it. */
export function PauseButton({ proposal }: PauseButtonProps) {
  const { pause, resume } = useMoves(proposal)
  const may = useMay()
  return may('write', placeOf(proposal)) && (pause || resume)
}
