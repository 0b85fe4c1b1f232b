import { Stack, Text } from '@mantine/core'
import { ErrorNotice, Notice } from '../../../ui/notice.tsx'
import { explain } from '../../../service/errors.ts'
import { Conflict } from '../../changes/change-set.ts'
import type { Stage } from '../../projects/queries.ts'
import type { SaveState } from '../save.ts'
import { ChangeList } from './recent-changes.tsx'
import { labels } from './labels.ts'

interface SaveProblemProps {
  readonly error: unknown
  /** Names of the stages. Absent or empty: the form saves to one alone. */
  readonly stages?: readonly string[]
}

/** Shows why a variable was not saved. */
export function SaveProblem({ error, stages = [] }: SaveProblemProps) {
  const [stage] = stages
  if (error instanceof Conflict) {
    return (
      <Notice kind="error" title={stage === undefined ? labels.conflictTitle : labels.conflictIn(stage)}>
        <Stack gap="xs">
          <ChangeList changes={error.changes} />
          <Text size="sm">{labels.conflictText}</Text>
        </Stack>
      </Notice>
    )
  }
  if (stage === undefined) return <ErrorNotice error={error} />
  return (
    <Notice kind="error" title={labels.notSavedIn(stages)}>
      {explain(error)}
    </Notice>
  )
}

interface SaveFailuresProps {
  readonly save: SaveState
  /** The stages, for their names. */
  readonly stages: readonly { readonly stage: Stage }[]
}

/** Shows which stages are saved and why others are not. */
export function SaveFailures({ save: { saved, failures }, stages }: SaveFailuresProps) {
  const nameOf = (slug: string): string => stages.find(({ stage }) => stage.stageSlug === slug)?.stage.name ?? slug
  if (failures.length === 0) return null
  // What is wrong in several stages is said once; each conflict has its own changes.
  const groups = Map.groupBy(failures, ({ place, error }) =>
    error instanceof Conflict ? place.stageSlug : explain(error),
  )
  return (
    <Stack gap="xs">
      {saved.length > 0 && (
        <Notice kind="success">{labels.savedAlready(saved.map(({ place }) => nameOf(place.stageSlug)))}</Notice>
      )}
      {[...groups].map(([key, group]) => (
        <SaveProblem
          key={key}
          error={group[0]?.error}
          stages={stages.length > 1 ? group.map(({ place }) => nameOf(place.stageSlug)) : []}
        />
      ))}
    </Stack>
  )
}
