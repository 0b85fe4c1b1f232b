import type { Change, ListedChange } from '@rollkey/sdk/core'
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { canMove, type ChangeState, type ServedCounts } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { percentText } from '../../lib/numbers.ts'
import { absoluteTime, exactTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { fitOf } from '../../data/rolls/fit.ts'
import { revisionQuery } from '../../data/history/queries.ts'
import { movesOf } from '../../parts/plans/chance-moves.ts'
import { labels } from './labels.ts'
import { FallNotice, MoveFigures } from '../../parts/plans/move-figures.tsx'
import classes from '../../parts/plans/plans.module.css'
import { placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { hourMs, servedBySteps } from './served-steps.ts'
import { FitBadge } from '../../parts/rolls/fit-badge.tsx'
import { useMoves } from '../../parts/plans/ramp-moves.tsx'
import { stageKey } from '../../data/stages.ts'

interface ProposalProps {
  readonly proposal: ListedChange
}

interface RampProps {
  readonly proposal: Change
}

/** The states in which a rollout takes none of the steps that are left. */
const endedStates: readonly ChangeState[] = ['failed', 'withdrawn', 'aborted']

/** Shows the steps of a rollout with what each has served, and what can be done with it. */
export function Ramp({ proposal }: RampProps) {
  const { steps = [], stepsDone = 0, names, state, items } = proposal
  const [name = ''] = names
  const served = useServedSteps(proposal)
  const lead = useRampText(proposal)
  const isEnded = endedStates.includes(state)
  const ahead = movesOf(steps.slice(stepsDone), items[0]?.before?.chance)
  // Some may have been skipped, so what they replaced is not known.
  const done = steps.slice(0, stepsDone).map((step) => ({ ...step, from: undefined }))
  return (
    <Panel title={labels.ramp} lead={lead(name)} actions={<RampActions proposal={proposal} />}>
      <ol className={`plain-list ${classes['steps']}`}>
        {[...done, ...ahead].map((move, at) => (
          <li key={move.atMs} data-quiet={at < stepsDone || isEnded || undefined}>
            <MoveFigures move={move} />
            <span className={classes['time']}>
              {stepText(at, proposal)}{' '}
              <time dateTime={new Date(move.atMs).toISOString()} title={exactTime(move.atMs)}>
                {absoluteTime(move.atMs)}
              </time>
              {served[at] && <Served counts={served[at]} chance={move.chance} />}
            </span>
          </li>
        ))}
      </ol>
      {!isEnded && <FallNotice moves={ahead} />}
    </Panel>
  )
}

/** Returns the words for whether the chance changes, changed or was to change. */
function useRampText(proposal: Change): (name: string) => string {
  const { state, conflictAt } = proposal
  const abortedTo = useAbortedTo(proposal)
  if (abortedTo !== undefined) return (name) => labels.rampAborted(name, percentText(abortedTo))
  if (conflictAt !== undefined || endedStates.includes(state)) return labels.rampPlanned
  if (state === 'paused') return labels.rampPaused
  return state === 'applied' ? labels.rampDone : labels.rampLead
}

/** Reads to which chance an abort set the roll; undefined if there was none, or until it is known. */
function useAbortedTo(proposal: Change): number | undefined {
  const { state, names, appliedRevision = 0 } = proposal
  const { data } = useQuery({
    ...revisionQuery(useScope(), placeOf(proposal), names[0], appliedRevision),
    enabled: state === 'aborted' && appliedRevision > 0,
  })
  return data?.[0]?.chance
}

function stepText(at: number, { state, stepsDone = 0 }: Change): string {
  if (at < stepsDone) return labels.stepDone
  if (endedStates.includes(state)) return labels.stepNotTaken
  if (state === 'paused') return labels.stepPaused
  return at === stepsDone && state === 'running' ? labels.stepNext : ''
}

const servedRefreshMs = 30_000

/** Reads what the steps that are done have served; nothing until it is known. */
function useServedSteps(proposal: ListedChange): readonly ServedCounts[] {
  const scope = useScope()
  const { id, steps = [], stepsDone = 0, names } = proposal
  const place = placeOf(proposal)
  const [name = ''] = names
  const fromMs = (steps[0]?.atMs ?? 0) - hourMs
  const { data: hours } = useQuery({
    queryKey: stageKey('roll-counts', scope, place, name, id),
    queryFn: async () => (await ask(scope, 'rollCounts', { ...place, name, fromMs })).hours,
    enabled: stepsDone > 0,
    refetchInterval: servedRefreshMs,
  })
  return hours ? servedBySteps(steps, stepsDone, hours) : []
}

interface ServedProps {
  readonly counts: ServedCounts
  readonly chance: number
}

/** Shows what was served at a step by chance alone, and says so where that does not fit the chance. */
function Served({ counts, chance }: ServedProps) {
  const { a, b } = counts
  const verdict = fitOf({ chance, sinceChance: counts })?.verdict
  return (
    <Text size="xs" c="dimmed" title={labels.servedUse}>
      {a + b === 0 ? labels.nothingServed : labels.served(a, a + b)}{' '}
      {verdict === 'differs' && <FitBadge verdict={verdict} />}
    </Text>
  )
}

function RampActions({ proposal }: ProposalProps) {
  const may = useMay()
  const [isAborting, setAborting] = useState(false)
  const { pause, resume, skip } = useMoves(proposal)
  const place = placeOf(proposal)
  if (!may('write', place)) return null
  const isApproved = proposal.approvals.required > 0
  return (
    <Group gap="xs">
      {pause}
      {resume}
      {(!isApproved || may('approve', place)) && skip}
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
