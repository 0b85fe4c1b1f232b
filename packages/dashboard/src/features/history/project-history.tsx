import { Group, NativeSelect, Switch, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { StageSearch } from './stage-search.ts'
import { currentStages, type Project } from '../projects/queries.ts'
import { StageHistory } from './stage-history.tsx'
import { VariableFilter } from './variable-filter.tsx'

interface ProjectHistoryProps {
  readonly project: Project
}

/** The history of one of the stages. What is shown is in the address, to be kept or sent to somebody. */
export function ProjectHistory({ project }: ProjectHistoryProps) {
  const { stage: asked, name } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/history' })
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/history' })
  const [showsDigests, setShowsDigests] = useState(false)
  const { projectSlug, stages } = project
  const stage = stages.find(({ stageSlug }) => stageSlug === asked) ?? currentStages(project)[0] ?? stages[0]
  if (!stage) return <Text>There is no stage yet, so nothing was changed in one.</Text>
  const { stageSlug } = stage
  const place = { projectSlug, stageSlug }
  const show = (search: StageSearch): void => void navigate({ search, replace: true, resetScroll: false })
  return (
    <>
      <Group align="flex-end">
        <NativeSelect
          label="Stage"
          value={stageSlug}
          data={stages.map((each) => ({
            value: each.stageSlug,
            label: each.archivedAtMs === undefined ? each.name : `${each.name} (archived)`,
          }))}
          onChange={(event) => show({ stage: event.currentTarget.value, ...(name !== undefined && { name }) })}
        />
        <VariableFilter
          place={place}
          name={name}
          onChange={(chosen) => show({ stage: stageSlug, ...(chosen !== '' && { name: chosen }) })}
        />
        <Switch
          label="Show digests"
          mb="xs"
          checked={showsDigests}
          onChange={(event) => setShowsDigests(event.currentTarget.checked)}
        />
      </Group>
      {showsDigests && (
        <Text size="sm" c="dimmed">
          A digest stands for a value that stays hidden: equal digests are equal values.
        </Text>
      )}
      <StageHistory
        key={JSON.stringify([stageSlug, name])}
        place={place}
        stage={stage}
        isReadOnly={project.archivedAtMs !== undefined || stage.archivedAtMs !== undefined}
        name={name}
        showsDigests={showsDigests}
      />
    </>
  )
}
