import { Group, Stack, Text, Title } from '@mantine/core'
import { limits } from '@rollkey/contract/rules'
import { useRef } from 'react'
import { useDisclosure } from '@mantine/hooks'
import { BusyButton } from '../../ui/busy-button.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Stage } from '../projects/queries.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ChangeText } from '../variables/editor/change-text.tsx'
import { EntryValues } from '../variables/editor/entry-values.tsx'
import { useChanges } from './changes-context.ts'
import { byStage, differencesOf, effectNames, effectOf, isTooMuch, type PendingChange } from './change-set.ts'
import classes from './review-form.module.css'
import { Conflict } from './conflict.ts'
import changeItemClasses from './change-item.module.css'

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

interface StageChangesProps {
  /** As people see it. */
  readonly stage: string
  readonly changes: readonly PendingChange[]
  readonly onTakeOut: (change: PendingChange) => void
}

function StageChanges({ stage, changes, onTakeOut }: StageChangesProps) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h4">
        {stage}
      </Title>
      <Stack component="ul" className="plain-list" gap={0}>
        {changes.map((change) => (
          <ChangeItem key={change.name} stage={stage} change={change} onTakeOut={() => onTakeOut(change)} />
        ))}
      </Stack>
    </Stack>
  )
}

interface ReviewProblemProps {
  readonly error: unknown
  /** Of a stage, as people see it. */
  readonly nameOf: (stageSlug: string) => string
}

/** What kept changes from being saved. */
function ReviewProblem({ error, nameOf }: ReviewProblemProps) {
  if (!(error instanceof Conflict)) return <ErrorNotice error={error} />
  const stage = nameOf(error.stageSlug)
  return (
    <Notice kind="error" title={`Some of this was changed in ${stage} in between`}>
      <Stack gap="xs">
        <Stack component="ul" className="plain-list wrapping" gap="xs">
          {error.changes.map((change) => (
            <li key={`${change.revision} ${change.name}`}>
              <bdi>{change.name}</bdi>
              <ChangeText change={change} />
            </li>
          ))}
        </Stack>
        <Text size="sm">
          Nothing of {stage} is saved yet, and all you entered is still here. Save again to replace what others did, or
          take your change out to keep it.
        </Text>
      </Stack>
    </Notice>
  )
}

interface ChangeItemProps {
  /** As people see it. */
  readonly stage: string
  readonly change: PendingChange
  readonly onTakeOut: () => void
}

/** Of plain elements, for there may be thousands. */
function ChangeItem({ stage, change, onTakeOut }: ChangeItemProps) {
  const [isShown, { toggle }] = useDisclosure()
  const { name, entry } = change
  return (
    <li className={changeItemClasses['item']}>
      <div className={changeItemClasses['line']}>
        <div className={changeItemClasses['facts']}>
          <bdi className={changeItemClasses['name']}>{name}</bdi>
          <div>{[effectNames[effectOf(change)], ...differencesOf(change)].join(' · ')}</div>
        </div>
        {entry && (
          <button
            type="button"
            className={changeItemClasses['action']}
            aria-expanded={isShown}
            aria-label={`${isShown ? 'Hide' : 'Show'} new value of ${name} in ${stage}`}
            onClick={toggle}
          >
            {isShown ? 'Hide new value' : 'Show new value'}
          </button>
        )}
        <button
          type="button"
          className={changeItemClasses['action']}
          aria-label={`Take out ${name} in ${stage}`}
          onClick={onTakeOut}
        >
          Take out
        </button>
      </div>
      {entry && isShown && <EntryValues entry={entry} />}
    </li>
  )
}
