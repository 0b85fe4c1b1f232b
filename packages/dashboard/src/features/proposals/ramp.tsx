import type { Change, ListedChange } from '@rollkey/sdk/core'
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { canMove, type ChangeState, type ServedCounts } from '@rollkey/contract/rules'
import { useDisclosure } from '@mantine/hooks'
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
import { ChanceMeaning } from './chance-meaning.tsx'
import { labels } from './labels.ts'
import { labels as planLabels } from '../../parts/plans/labels.ts'
import { endRotation, RotationEnds, type Side } from '../../parts/plans/rotation-ends.tsx'
import { FallNotice, MoveFigures } from '../../parts/plans/move-figures.tsx'
import classes from '../../parts/plans/plans.module.css'
import { placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { isRotation, wordsOf } from './ramp-words.ts'
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
    <Panel title={wordsOf(proposal).title} lead={lead(name)} actions={<RampActions proposal={proposal} />}>
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
      {!isEnded && items[0] && ahead.length > 0 && !isRotation(proposal) && (
        <ChanceMeaning place={placeOf(proposal)} item={items[0]} chance={steps.at(-1)?.chance} />
      )}
      {!isEnded && <FallNotice moves={ahead} />}
    </Panel>
  )
}

/** Returns the words for whether the chance changes, changed or was to change. */
function useRampText(proposal: Change): (name: string) => string {
  const { state, conflictAt } = proposal
  const words = wordsOf(proposal)
  const abortedTo = useAbortedTo(proposal)
  if (state === 'aborted' && isRotation(proposal)) return labels.rotation.aborted
  if (abortedTo !== undefined) return (name) => labels.ramp.aborted(name, percentText(abortedTo))
  if (conflictAt !== undefined || endedStates.includes(state)) return words.planned
  if (state === 'paused') return words.paused
  return state === 'applied' ? words.done : words.lead
}

/** Reads to which chance an abort set the roll; undefined if there was none, as for a secret, or until it is known. */
function useAbortedTo(proposal: Change): number | undefined {
  const { state, names, appliedRevision = 0 } = proposal
  const { data } = useQuery({
    ...revisionQuery(useScope(), placeOf(proposal), names[0], appliedRevision),
    enabled: state === 'aborted' && appliedRevision > 0 && !isRotation(proposal),
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

function RampActions({ proposal }: RampProps) {
  const may = useMay()
  const isOfSecret = isRotation(proposal)
  const { pause, resume, skip } = useMoves(proposal, isOfSecret ? planLabels.rotation.what : planLabels.rollout)
  const place = placeOf(proposal)
  if (!may('write', place)) return null
  const isApproved = proposal.approvals.required > 0
  return (
    <Group gap="xs">
      {pause}
      {resume}
      {(!isApproved || may('approve', place)) && skip}
      {canMove(proposal.state, 'abort') && (isOfSecret ? <End proposal={proposal} /> : <Abort proposal={proposal} />)}
    </Group>
  )
}

/** Offers to end a rotation with one of its values. */
function End({ proposal }: ProposalProps) {
  const scope = useScope()
  const { stageSlug, names } = proposal
  const [name = ''] = names
  const end = useProposalChange(placeOf(proposal), async (side: Side) => {
    await endRotation(scope, proposal, side)
    toast.success(planLabels.rotation.ended(name, stageSlug, side))
  })
  return <RotationEnds name={name} stageName={stageSlug} end={end} />
}

/** Offers to abort a rollout, which sets the chance. */
function Abort({ proposal }: ProposalProps) {
  const [opened, { open, close }] = useDisclosure()
  const [percent, setPercent] = useState(0)
  const scope = useScope()
  const place = placeOf(proposal)
  const abort = useProposalChange(place, async () => {
    await ask(scope, 'changeAbort', { ...place, id: proposal.id, chance: percent / 100 })
    close()
    toast.success(labels.aborted(percentText(percent / 100)))
  })
  return (
    <>
      <Button size="xs" variant="outline" color="red" onClick={open}>
        {labels.abort}
      </Button>
      <ConfirmDialog
        title={labels.abortTitle}
        label={labels.abortButton}
        mutation={{ ...abort, mutate: () => abort.mutate() }}
        opened={opened}
        onClose={close}
      >
        <Stack gap="xs">
          <Text>{labels.abortText}</Text>
          <NumberInput
            label={labels.abortChance}
            suffix="%"
            min={0}
            max={100}
            value={percent}
            onChange={(value) => setPercent(Number(value) || 0)}
          />
        </Stack>
      </ConfirmDialog>
    </>
  )
}
