import type { ListedChange, Stage, StageSlugs } from '@rollkey/sdk/core'
import { useState } from 'react'
import type { Labels } from '@rollkey/contract/rules'
import { useMutation } from '@tanstack/react-query'
import { Stack, Text } from '@mantine/core'
import { absoluteTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ProductionNotice } from '../projects/production-notice.tsx'
import { EndedPlans, isEndedPlan, useEndedPlans } from '../plans/ended-plans.tsx'
import { useProposing } from '../proposing/use-proposing.tsx'
import { writeRuleOf } from '../../data/proposals/write-rule.ts'
import { ask, useScope } from '../../session/scope.ts'
import { useNow } from '../../ui/time.tsx'
import { succeeded, useStageWrite } from '../../data/variables/use-stage-write.ts'
import { useSides } from './sides.tsx'
import { useRefresh } from '../../data/stages.ts'
import type { Targeting } from '../../data/rolls/targeting.ts'
import { labels as proposalLabels } from '../proposing/labels.ts'
import { labels } from './labels.ts'

interface StopDialogProps {
  /** Undefined: the dialog is closed. */
  readonly roll: Stoppable | undefined
  readonly onClose: () => void
}

/** Asks before a roll is stopped. Who lacks the verb for it proposes the stop. */
export function StopDialog({ roll, onClose }: StopDialogProps) {
  const { name = '', stageName = '', isProduction = false, place, protection } = roll ?? {}
  const stage = place && { stageSlug: place.stageSlug, name: stageName, protection }
  const proposing = useProposing(place?.projectSlug ?? '', stage ? [stage] : [], stopWrite)
  const reason = place && proposing.reasonIn(place.stageSlug)
  const may = useMay()
  const plans = useEndedPlans(reason === undefined ? place : undefined, [name])
  const [withdraws, setWithdraws] = useState(false)
  const mayWithdraw = place !== undefined && may('write', place)
  // The stop is saved at once, but a higher chance is proposed.
  const { isProposed, approvals, frozenUntilMs } = writeRuleOf({ protection }, useNow())
  const isFinal = reason === undefined && isProposed
  // The error and the reason of one roll are not those of the next.
  const end = (): void => {
    proposing.reset()
    setWithdraws(false)
    onClose()
  }
  const stop = useStop(end)
  const paused = plans.filter(({ state }) => state === 'running')
  const withdrawn = mayWithdraw && withdraws ? plans.filter(isEndedPlan) : []
  const close = (): void => {
    stop.reset()
    end()
  }
  return (
    <ConfirmDialog
      title={labels.stopTitle(name, stageName)}
      label={proposing.label(stage ? [stage] : [], () => labels.stopButton, proposalLabels.proposeStop)}
      check={proposing.check}
      mutation={{ ...stop, mutate: () => roll && stop.mutate({ roll, reason, plans: withdrawn, paused }) }}
      opened={roll !== undefined}
      onClose={close}
    >
      <Stack gap="xs">
        {roll && <StopText roll={roll} isFinal={isFinal} />}
        {isFinal && (
          <Text>
            {labels.stopFinal(
              stageName,
              approvals,
              frozenUntilMs === undefined ? undefined : absoluteTime(frozenUntilMs),
            )}
          </Text>
        )}
        {isProduction && reason === undefined && <ProductionNotice stage={stageName} isShort />}
        <EndedPlans
          plans={plans}
          withdrawal={mayWithdraw ? { isChosen: withdraws, onChoose: setWithdraws, isUndone: !isFinal } : undefined}
        />
        {proposing.notice}
        {proposing.reasonField}
      </Stack>
    </ConfirmDialog>
  )
}

interface StopTextProps {
  readonly roll: Stoppable
  /** Whether it offers no undo. */
  readonly isFinal: boolean
}

function StopText({ roll: { place, name, chance, pinned, ruleCount, labels: names }, isFinal }: StopTextProps) {
  return <Text>{labels.stopText(chance, pinned, ruleCount, useSides(place, name, names), isFinal)}</Text>
}

/** A roll that can be stopped. */
export interface Stoppable extends Targeting {
  readonly place: StageSlugs
  readonly protection?: Stage['protection']
  readonly stageName: string
  readonly isProduction: boolean
  readonly name: string
  readonly labels?: Labels | undefined
}

/** What stops a roll, whatever someone else changes at the same time. */
const stopWrite = { chance: 0, pins: null, rules: null }

interface Stop {
  readonly roll: Stoppable
  /** Why it is proposed. Undefined: the roll is stopped at once. */
  readonly reason: string | undefined
  /** Plans that are withdrawn with it. */
  readonly plans: readonly ListedChange[]
  /** Rollouts that it pauses. */
  readonly paused: readonly ListedChange[]
}

/** Returns the mutation that stops a roll and confirms that with an undo, or that proposes it. */
function useStop(onStopped: () => void) {
  const scope = useScope()
  const refresh = useRefresh()
  const { write, confirm } = useStageWrite()
  return useMutation({
    mutationFn: async ({ roll: { place, name }, reason, plans }: Stop) => {
      const outcome = await succeeded(await write({ place, content: { updates: [{ name, ...stopWrite }] }, reason }))
      if (reason !== undefined || plans.length === 0) return { outcome, withdrawn: 0 }
      // A plan that stays is out of date, and the page says so.
      const ends = await Promise.allSettled(plans.map(({ id }) => ask(scope, 'changeWithdraw', { ...place, id })))
      void refresh(place)
      return { outcome, withdrawn: ends.filter(({ status }) => status === 'fulfilled').length }
    },
    onSuccess: ({ outcome, withdrawn }, { roll: { place, stageName, name }, paused }) => {
      onStopped()
      const resume = async (): Promise<string> => {
        const resumed = await Promise.allSettled(paused.map(({ id }) => ask(scope, 'changeResume', { ...place, id })))
        void refresh(place)
        return labels.resumed(resumed.every(({ status }) => status === 'fulfilled'))
      }
      confirm(outcome, labels.stopped(name, stageName, withdrawn), paused.length > 0 ? resume : undefined)
    },
  })
}
