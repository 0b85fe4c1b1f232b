import { Button, Group, NativeSelect, Switch, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState } from 'react'
import { limits } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../../ui/loading.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { SearchInput } from '../../../ui/search-input.tsx'
import { useChanges } from '../../changes/changes-context.ts'
import { useComparison } from '../use-comparison.ts'
import { deletionsOf, withNewRows } from '../../changes/change-set.ts'
import { hasDifference, matching } from '../comparison.ts'
import { currentStages, type Project, type Stage } from '../../projects/queries.ts'
import { VariableDrawer } from '../editor/variable-drawer.tsx'
import { useOpenVariable } from '../editor/use-open-variable.ts'
import { RollkeyCommand } from '../../../ui/rollkey-command.tsx'
import { Section } from '../../../ui/section.tsx'
import { useSettings } from '../../../session/use-settings.ts'
import { useScope } from '../../../session/use-scope.ts'
import { digestsQuery } from '../queries.ts'
import { CellHints } from './cell-hints.tsx'
import { ProjectActions } from './project-actions.tsx'
import { type Selected, VariablesGrid } from './variables-grid.tsx'

interface ProjectStagesProps {
  readonly project: Project
}

/** A project's variables over its stages, and what can be done with them. */
export function ProjectStages({ project }: ProjectStagesProps) {
  const { pending } = useChanges()
  const { rows: stored, error } = useComparison(project)
  const { search: linked = '' } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/' })
  const [search, setSearch] = useState(linked)
  const [showsDifferences, setShowsDifferences] = useState(false)
  const [selected, setSelected] = useState<Selected>()
  const { open } = useOpenVariable()
  const wanted = useDeferredValue(search)
  const stages = useMemo(() => currentStages(project), [project])
  const rows = useMemo(() => stored && withNewRows(stored, pending, stages.length), [stored, pending, stages])
  const found = matching(rows ?? [], wanted).filter((row) => !showsDifferences || hasDifference(row))
  return (
    <>
      <ProjectActions project={project} onAdd={() => open({ stageSlug: stages[0]?.stageSlug ?? '' })} />
      <ErrorNotice error={error} />
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <NoVariables projectSlug={project.projectSlug} stageSlug={stages[0]?.stageSlug} />}
      {rows && rows.length > 0 && (
        <Group>
          <SearchInput label="Search variables" value={search} onChange={setSearch} />
          <Switch
            label="Only differences"
            checked={showsDifferences}
            onChange={(event) => setShowsDifferences(event.currentTarget.checked)}
          />
          <Text role="status" size="sm" c="dimmed">
            {found.length.toLocaleString('en')} of {rows.length.toLocaleString('en')} variables
          </Text>
          {project.archivedAtMs === undefined && (
            <SelectionTools
              projectSlug={project.projectSlug}
              stages={stages}
              selected={selected}
              onSelect={setSelected}
            />
          )}
        </Group>
      )}
      {stages.length > 0 && (
        <CellHints projectSlug={project.projectSlug}>
          <VariablesGrid
            project={project}
            stages={stages}
            rows={found}
            selected={selected}
            onSelect={setSelected}
            onOpen={open}
          />
        </CellHints>
      )}
      {rows && <VariableDrawer project={project} rows={rows} />}
    </>
  )
}

interface NoVariablesProps {
  readonly projectSlug: string
  readonly stageSlug: string | undefined
}

/** What to do where a project is empty. */
function NoVariables({ projectSlug, stageSlug = 'dev' }: NoVariablesProps) {
  const { publicUrl } = useSettings()
  return (
    <Section title="There is no variable yet">
      <Text>
        Create a stage and a variable above. Or bring a whole .env file from a terminal that is logged in; that makes
        the stage, too.
      </Text>
      <RollkeyCommand
        what="the command that imports a file"
        lines={[`import .env --create --url ${publicUrl} --project ${projectSlug} --stage ${stageSlug}`]}
      />
    </Section>
  )
}

interface SelectionToolsProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  readonly selected: Selected
  readonly onSelect: (selected: Selected) => void
}

/** The way to do something with many variables. */
function SelectionTools({ projectSlug, stages, selected, onSelect }: SelectionToolsProps) {
  return (
    <>
      <Switch
        label="Select"
        checked={selected !== undefined}
        onChange={(event) => onSelect(event.currentTarget.checked ? new Set() : undefined)}
      />
      {selected && (
        <DeleteSelected
          projectSlug={projectSlug}
          stages={stages}
          selected={selected}
          onDone={() => onSelect(undefined)}
        />
      )}
    </>
  )
}

interface DeleteSelectedProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  /** Names. */
  readonly selected: ReadonlySet<string>
  readonly onDone: () => void
}

/** Collects the deletion of variables from a stage, which is looked at before it is saved. */
function DeleteSelected({ projectSlug, stages, selected, onDone }: DeleteSelectedProps) {
  const [stageSlug, setStageSlug] = useState(stages[0]?.stageSlug ?? '')
  const { add, review } = useChanges()
  const { data } = useQuery(digestsQuery(useScope(), { projectSlug, stageSlug }))
  const deletions = data ? deletionsOf(selected, stageSlug, data) : []
  const count = deletions.filter(({ before }) => before).length
  const stage = stages.find((each) => each.stageSlug === stageSlug)
  const isTooMuch = count > limits.entries
  const showDeletions = (): void => {
    onDone()
    add(deletions)
    review()
  }
  return (
    <Group w="100%" gap="xs">
      <Text role="status" size="sm" miw={90}>
        {isTooMuch ? `At most ${limits.entries} are deleted at once. Select fewer.` : `${selected.size} selected`}
      </Text>
      <NativeSelect
        size="sm"
        aria-label="Stage to delete from"
        data={stages.map((each) => ({ value: each.stageSlug, label: each.name }))}
        value={stageSlug}
        onChange={(event) => setStageSlug(event.currentTarget.value)}
      />
      <Button size="sm" variant="default" disabled={count === 0 || isTooMuch} onClick={showDeletions}>
        Delete {count} from {stage?.name}
      </Button>
    </Group>
  )
}
