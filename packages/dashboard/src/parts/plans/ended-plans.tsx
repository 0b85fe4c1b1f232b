import type { ListedChange, StageSlugs } from '@rollkey/sdk/core'
import { Checkbox, Stack, Text } from '@mantine/core'
import { canMove } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { percentText } from '../../lib/numbers.ts'
import { relativeTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { useNow } from '../../ui/time.tsx'
import { isWaiting, plannedQuery } from '../../data/proposals/queries.ts'
import { labels } from './labels.ts'

const { planned: words } = labels

/** Returns the changes of rolls that end or pause once someone writes these by hand. `place`: undefined for none. */
export function useEndedPlans(place: StageSlugs | undefined, names: readonly string[]): readonly ListedChange[] {
  const query = plannedQuery(useScope(), place ?? { projectSlug: '', stageSlug: '' })
  const { data = [] } = useQuery({ ...query, enabled: place !== undefined })
  return data.filter((proposal) => isWaiting(proposal) && proposal.names.some((name) => names.includes(name)))
}

/** Returns whether a change is a plan of this roll alone, which is of no use once the roll changes. */
export function isEndedPlan({ state, nameCount, dueAtMs }: ListedChange): boolean {
  return canMove(state, 'withdraw') && nameCount === 1 && dueAtMs !== undefined
}

interface EndedPlansProps {
  readonly plans: readonly ListedChange[]
  /** Whether the plans are withdrawn, and how the person decides. Absent: they cannot. */
  readonly withdrawal?:
    | {
        readonly isChosen: boolean
        readonly onChoose: (isChosen: boolean) => void
        /** Whether the write that ends the plans offers an undo. */
        readonly isUndone: boolean
      }
    | undefined
}

/** Says which plans do not go on, and offers to withdraw them; nothing if there are none. */
export function EndedPlans({ plans, withdrawal }: EndedPlansProps) {
  const nowMs = useNow()
  const ended = plans.filter(isEndedPlan).length
  if (plans.length === 0) return null
  return (
    <Stack gap="xs">
      <Text size="sm" className="wrapping">
        {[
          ...plans.map((plan) => sentenceOf(plan, nowMs)),
          ...(withdrawal && ended > 0 ? [words.stays(withdrawal.isUndone)] : []),
        ].join(' ')}
      </Text>
      {withdrawal && ended > 0 && (
        <Checkbox
          label={words.withdraw(ended)}
          description={words.withdrawUse}
          checked={withdrawal.isChosen}
          onChange={({ currentTarget }) => withdrawal.onChoose(currentTarget.checked)}
        />
      )}
    </Stack>
  )
}

function sentenceOf({ state, reason, steps = [], stepsDone = 0, dueAtMs }: ListedChange, nowMs: number): string {
  if (dueAtMs === undefined && state === 'open') return words.outdated(reason)
  const step = steps[stepsDone]
  const when = dueAtMs === undefined ? undefined : relativeTime(dueAtMs, nowMs)
  const next = step && when !== undefined ? words.nextStep(percentText(step.chance), when) : when
  return (state === 'running' ? words.paused : words.ended)(reason, next)
}
