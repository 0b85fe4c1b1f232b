import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { canMove } from '@rollkey/contract/rules'
import { type ReactNode, useState } from 'react'
import { percentText } from '../../lib/numbers.ts'
import { absoluteTime, exactTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { SplitBar } from '../../ui/split-bar.tsx'
import { toast } from '../../ui/toast.tsx'
import { labels } from './labels.ts'
import classes from './proposals.module.css'
import { type ListedProposal, placeOf, useProposalChange } from './queries.ts'

interface ProposalProps {
  readonly proposal: ListedProposal
}

/** Shows the steps of a rollout, and what can be done with it. */
export function Ramp({ proposal }: ProposalProps) {
  const { steps = [], stepsDone = 0, names, state } = proposal
  const [name = ''] = names
  return (
    <Panel title={labels.ramp} lead={labels.rampLead(name)} actions={<RampActions proposal={proposal} />}>
      <ol className={`plain-list ${classes['steps']}`}>
        {steps.map(({ atMs, chance }, at) => (
          <li key={atMs} data-done={at < stepsDone || undefined}>
            <span>{percentText(chance)}</span>
            <SplitBar share={chance} hasText={false} label={percentText(chance)} />
            <span>
              {at < stepsDone ? labels.stepDone : at === stepsDone && state === 'running' ? labels.stepNext : ''}{' '}
              <time dateTime={new Date(atMs).toISOString()} title={exactTime(atMs)}>
                {absoluteTime(atMs)}
              </time>
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** Returns a button for each way to move a ramp, without questions. */
function useMoves(proposal: ListedProposal) {
  const scope = useScope()
  const place = placeOf(proposal)
  const { id, state, stepsDone } = proposal
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
    pause: canMove(state, 'pause') && button(labels.pause, labels.paused, () => ask(scope, 'changePause', at)),
    resume: canMove(state, 'resume') && button(labels.resume, labels.resumed, () => ask(scope, 'changeResume', at)),
    skip:
      canMove(state, 'skip') &&
      button(labels.skip, labels.skipped, () =>
        ask(scope, 'changeSkip', { ...at, ...(stepsDone !== undefined && { stepsDone }) }),
      ),
  }
}

/** Offers to pause a ramp, or to resume it. */
export function PauseButton({ proposal }: ProposalProps) {
  const { pause, resume } = useMoves(proposal)
  const may = useMay()
  return may('write', placeOf(proposal)) && (pause || resume)
}

function RampActions({ proposal }: ProposalProps) {
  const may = useMay()
  const [isAborting, setAborting] = useState(false)
  const { pause, resume, skip } = useMoves(proposal)
  if (!may('write', placeOf(proposal))) return null
  return (
    <Group gap="xs">
      {pause}
      {resume}
      {skip}
      {canMove(proposal.state, 'abort') && (
        <Button size="xs" variant="outline" color="red" onClick={() => setAborting(true)}>
          {labels.abort}
        </Button>
      )}
      <AbortDialog proposal={proposal} opened={isAborting} onClose={() => setAborting(false)} />
    </Group>
  )
}

interface AbortDialogProps extends ProposalProps {
  readonly opened: boolean
  readonly onClose: () => void
}

function AbortDialog({ proposal, opened, onClose }: AbortDialogProps) {
  const [percent, setPercent] = useState(0)
  const scope = useScope()
  const place = placeOf(proposal)
  const abort = useProposalChange(place, async () => {
    await ask(scope, 'changeAbort', { ...place, id: proposal.id, chance: percent / 100 })
    onClose()
    toast.success(labels.aborted(percentText(percent / 100)))
  })
  return (
    <ConfirmDialog
      title={labels.abortTitle}
      label={labels.abortButton}
      mutation={{ ...abort, mutate: () => abort.mutate() }}
      opened={opened}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text>{labels.abortText}</Text>
        <NumberInput
          label={labels.abortChance}
          suffix=" %"
          min={0}
          max={100}
          value={percent}
          onChange={(value) => setPercent(Number(value) || 0)}
        />
      </Stack>
    </ConfirmDialog>
  )
}
