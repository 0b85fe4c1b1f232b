import { Group, Stack, Text } from '@mantine/core'
import { limits } from '@rollkey/contract/rules'
import { useRef } from 'react'
import { BusyButton } from '../../ui/busy-button.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { Notice } from '../../ui/notice.tsx'
import { useChanges } from './changes-context.ts'
import { byStage, isTooMuch, type PendingChange } from './change-set.ts'
import type { Stage } from '../projects/queries.ts'
import { ReviewProblem } from './review-problem.tsx'
import classes from './review-form.module.css'
import { StageChanges } from './stage-changes.tsx'

interface ReviewFormProps {
  readonly stages: readonly Stage[]
  readonly save: { mutate(): void; readonly error: unknown; readonly isPending: boolean }
}

/** What saving does, by stage, and one button that does it. */
export function ReviewForm({ stages, save }: ReviewFormProps) {
  const { pending, takeOut } = useChanges()
  const list = useRef<HTMLDivElement>(null)
  const nameOf = (slug: string): string => stages.find(({ stageSlug }) => stageSlug === slug)?.name ?? slug
  const takeOutOne = (change: PendingChange): void => {
    takeOut([change])
    if (pending.length === 1) focusHeading()
    else list.current?.focus()
  }
  const ofStages = [...byStage(pending)]
  const tooMuch = ofStages.some(([, changes]) => isTooMuch(changes))
  return (
    <Stack>
      <Stack ref={list} tabIndex={-1} className={`focused-part ${classes['list']}`} gap="lg">
        {ofStages.map(([slug, changes]) => (
          <StageChanges key={slug} stage={nameOf(slug)} changes={changes} onTakeOut={takeOutOne} />
        ))}
      </Stack>
      <ReviewProblem error={save.error} nameOf={nameOf} />
      {tooMuch && (
        <Notice kind="error">
          A stage takes at most {limits.entries} changed and as many deleted variables at once. Take some out.
        </Notice>
      )}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" flex="1 1 200px">
          {ofStages.length === 1
            ? 'All is saved at once, or nothing.'
            : 'The stages are saved one after the other, each at once or not at all.'}
        </Text>
        <BusyButton disabled={tooMuch} isBusy={save.isPending} onClick={() => save.mutate()}>
          {pending.length === 1 ? 'Save 1 change' : `Save ${pending.length} changes`}
        </BusyButton>
      </Group>
    </Stack>
  )
}
