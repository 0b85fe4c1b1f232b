import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Conflict } from '../../data/unsaved-changes/change-set.ts'
import { explain } from '../../service/errors.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'
import { ChangeList } from './recent-changes.tsx'

interface SaveProblemProps {
  readonly error: unknown
  /** Names of the stages. Absent or empty: the form saves to one alone. */
  readonly stages?: readonly string[]
  /** Offers what to do about a conflict. @default saving again */
  readonly choice?: ReactNode
}

/** Shows why a variable was not saved. */
export function SaveProblem({ error, stages = [], choice }: SaveProblemProps) {
  const [stage] = stages
  if (error instanceof Conflict) {
    return (
      <Notice kind="error" isAnswer title={stage === undefined ? labels.conflictTitle : labels.conflictIn(stage)}>
        <Stack gap="xs">
          <ChangeList changes={error.changes} />
          {choice ?? <Text size="sm">{labels.conflictText}</Text>}
        </Stack>
      </Notice>
    )
  }
  if (stage === undefined) return <ErrorNotice error={error} isAnswer />
  return (
    <Notice kind="error" isAnswer title={labels.notSavedIn(stages)}>
      {explain(error)}
    </Notice>
  )
}
