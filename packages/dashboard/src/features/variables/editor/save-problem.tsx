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
  /** Name of the stage, if the form saves to several. */
  readonly stage?: string | undefined
}

/** Shows why a variable was not saved. */
export function SaveProblem({ error, stage }: SaveProblemProps) {
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
    <Notice kind="error" title={labels.notSavedIn(stage)}>
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
  return (
    <Stack gap="xs">
      {saved.length > 0 && (
        <Notice kind="success">{labels.savedAlready(saved.map(({ place }) => nameOf(place.stageSlug)))}</Notice>
      )}
      {failures.map(({ place, error }) => (
        <SaveProblem
          key={place.stageSlug}
          error={error}
          stage={stages.length > 1 ? nameOf(place.stageSlug) : undefined}
        />
      ))}
    </Stack>
  )
}
