import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Conflict } from '../../../data/unsaved-changes/change-set.ts'
import { plainQuery } from '../../../data/variables/queries.ts'
import type { SaveState } from '../../../data/variables/use-save.ts'
import { SaveProblem } from '../../../parts/variables/save-problem.tsx'
import { explain } from '../../../service/errors.ts'
import { useMay } from '../../../session/permissions.ts'
import { useScope } from '../../../session/scope.ts'
import { Notice } from '../../../ui/notice.tsx'
import type { Draft } from './draft.ts'
import { labels } from './labels.ts'

/** What the person edits, to choose between it and what others stored. */
interface Edited {
  readonly draft: Draft
  /** Throws the input away. */
  readonly onKeep: () => void
}

interface ConflictChoiceProps extends Edited {
  readonly place: StageSlugs
}

/** Offers both versions, with their values if people see them without a reveal. The button that replaces submits the form. */
function ConflictChoice({ place, draft, onKeep }: ConflictChoiceProps) {
  const mayRead = useMay()('read', place)
  const isExposed = draft.exposure !== 'secret' && draft.kind === 'secret'
  const { data = [] } = useQuery({ ...plainQuery(useScope(), place), enabled: isExposed && mayRead })
  const stored = data.find((each) => each.name === draft.name)
  const theirs = stored?.kind === 'secret' ? stored.value : undefined
  const mine = (draft.hasValuePerStage ? draft.byStage[place.stageSlug] : draft.shared)?.value
  const areKnown = theirs !== undefined && mine !== undefined
  return (
    <Stack gap="xs" align="flex-start">
      {areKnown && <Text className="wrapping">{labels.bothValues(theirs, mine)}</Text>}
      <Text size="sm">{labels.conflictKept}</Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onKeep}>
          {areKnown ? labels.keepTheirs(theirs) : labels.keepChange}
        </Button>
        <Button size="xs" type="submit" color="red">
          {areKnown ? labels.replaceTheirs(theirs, mine) : labels.replaceChange}
        </Button>
      </Group>
    </Stack>
  )
}

interface SaveFailuresProps {
  readonly save: SaveState
  readonly edited?: Edited
  /** The stages, for their names. */
  readonly stages: readonly { readonly stage: Stage }[]
}

/** Shows which stages are saved and why others are not. */
export function SaveFailures({ save: { saved, failures }, stages, edited }: SaveFailuresProps) {
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
          choice={edited && group[0] && <ConflictChoice place={group[0].place} {...edited} />}
          stages={stages.length > 1 ? group.map(({ place }) => nameOf(place.stageSlug)) : []}
        />
      ))}
    </Stack>
  )
}
