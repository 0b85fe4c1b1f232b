import type { ListedChange, Stage, StageSlugs } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { percentText } from '../../lib/numbers.ts'
import { absoluteTime, relativeTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useRefresh } from '../../data/stages.ts'
import { reveal } from '../../data/variables/queries.ts'
import { succeeded, useStageWrite } from '../../data/variables/use-stage-write.ts'
import { useProposing } from '../proposing/use-proposing.tsx'
import { PauseButton } from './ramp-moves.tsx'
import { endRotation, RotationEnds, type Side } from './rotation-ends.tsx'
import { labels } from './labels.ts'

const { rotation: words } = labels

interface RotationNoticeProps {
  readonly place: StageSlugs
  readonly stage: Stage
  /** The secret, which has two values now. */
  readonly variable: Digested
  readonly revision: number
  /** The change that rotates it. Undefined: none does any more, as after a step that failed or in a copy. */
  readonly change: ListedChange | undefined
  readonly isReadOnly: boolean
}

/** Shows how far the rotation of a secret is, and ends it with one of its values. */
export function RotationNotice({ place, stage, variable, revision, change, isReadOnly }: RotationNoticeProps) {
  const { name, chance = 0 } = variable
  const proposing = useProposing(place.projectSlug, change ? [] : [stage])
  const end = useEnd({ place, stage, variable, revision, change, isReadOnly }, proposing.reasonIn(place.stageSlug))
  return (
    <Notice kind="info" title={titleOf(change)}>
      <Stack gap="xs">
        <Text size="sm">{words.shares(percentText(chance))}</Text>
        {change && <NextStep change={change} />}
        {!isReadOnly && (
          <Group gap="xs">
            <RotationEnds name={name} stageName={stage.name} end={end} check={proposing.check}>
              {proposing.notice}
              {proposing.reasonField}
            </RotationEnds>
            {change && <PauseButton proposal={change} what={words.what} />}
          </Group>
        )}
      </Stack>
    </Notice>
  )
}

function titleOf(change: ListedChange | undefined): string {
  const { state, steps = [], stepsDone = 0 } = change ?? {}
  if (!change) return words.stopped
  return (state === 'paused' ? words.paused : words.step)(stepsDone, steps.length)
}

interface NextStepProps {
  readonly change: ListedChange
}

function NextStep({ change: { steps = [], stepsDone = 0, dueAtMs, problem } }: NextStepProps) {
  const nowMs = useNow()
  const next = steps[stepsDone]
  if (problem !== undefined) return <Text size="sm">{problem}</Text>
  if (!next || dueAtMs === undefined) return null
  return (
    <Text size="sm" c="dimmed">
      {labels.planned.next(percentText(next.chance), relativeTime(dueAtMs, nowMs), absoluteTime(dueAtMs))}
    </Text>
  )
}

/** Returns the mutation that ends the rotation with a value: by its change, or without one by a write of that value. */
function useEnd({ place, variable, stage, revision, change }: RotationNoticeProps, reason: string | undefined) {
  const scope = useScope()
  const refresh = useRefresh()
  const { write, confirm } = useStageWrite()
  const { name } = variable
  return useMutation({
    mutationFn: async (side: Side) => {
      const text = words.ended(name, stage.name, side)
      if (change) {
        await endRotation(scope, change, side)
        return toast.success(text)
      }
      const entry = await reveal(scope, place, name)
      if (entry.kind !== 'ab_roll') return
      const value = side === 'new' ? entry.valueA : entry.valueB
      const entries = [{ kind: 'secret', name, value }] as const
      confirm(await succeeded(await write({ place, content: { entries }, seen: revision, reason })), text)
    },
    gcTime: 0,
    onSettled: () => refresh(place),
  })
}
