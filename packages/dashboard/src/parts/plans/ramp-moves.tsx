import type { ListedChange } from '@rollkey/sdk/core'
import type { ReactNode } from 'react'
import { canMove } from '@rollkey/contract/rules'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { toast } from '../../ui/toast.tsx'
import { placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { labels } from './labels.ts'

/** Returns a button for each way to move a ramp, without questions. `what`: what the ramp is. */
export function useMoves(proposal: ListedChange, what: string = labels.rollout) {
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
    pause:
      canMove(state, 'pause') && button(labels.pause, labels.paused(name, what), () => ask(scope, 'changePause', at)),
    resume:
      canMove(state, 'resume') &&
      button(labels.resume, labels.resumed(name, what), () => ask(scope, 'changeResume', at)),
    skip:
      canMove(state, 'skip') &&
      button(labels.skip, labels.skipped(name, what), () =>
        ask(scope, 'changeSkip', { ...at, ...(stepsDone !== undefined && { stepsDone }) }),
      ),
  }
}

interface PauseButtonProps {
  readonly proposal: ListedChange
  /** What the ramp is. @default 'rollout' */
  readonly what?: string
}

/** Offers to pause a ramp, or to resume it. */
export function PauseButton({ proposal, what = labels.rollout }: PauseButtonProps) {
  const { pause, resume } = useMoves(proposal, what)
  const may = useMay()
  return may('write', placeOf(proposal)) && (pause || resume)
}
