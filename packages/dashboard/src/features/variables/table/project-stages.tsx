import { Group, Switch, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState } from 'react'
import { Loading } from '../../../ui/loading.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { SearchInput } from '../../../ui/search-input.tsx'
import { useChanges } from '../../changes/changes-context.ts'
import { useComparison } from '../use-comparison.ts'
import { withNewRows } from '../../changes/change-set.ts'
import { hasDifference, matching } from '../comparison.ts'
import { currentStages, type Project } from '../../projects/queries.ts'
import { VariableDrawer, type Target } from '../editor/variable-drawer.tsx'
import { CellHints } from './cell-hints.tsx'
import { NoVariables } from './no-variables.tsx'
import { ProjectActions } from './project-actions.tsx'
import { SelectionTools } from './selection-tools.tsx'
import { VariablesGrid, type Selected } from './variables-grid.tsx'

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
  const [target, setTarget] = useState<Target | undefined>()
  const wanted = useDeferredValue(search)
  const stages = useMemo(() => currentStages(project), [project])
  const rows = useMemo(() => stored && withNewRows(stored, pending, stages.length), [stored, pending, stages])
  const found = matching(rows ?? [], wanted).filter((row) => !showsDifferences || hasDifference(row))
  return (
    <>
      <ProjectActions project={project} onAdd={() => setTarget({ stageSlug: stages[0]?.stageSlug ?? '' })} />
      <ProblemNotice error={error} />
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
            onOpen={setTarget}
          />
        </CellHints>
      )}
      <VariableDrawer project={project} rows={rows ?? []} target={target} onClose={() => setTarget(undefined)} />
    </>
  )
}
