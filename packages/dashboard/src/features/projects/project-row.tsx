import { Badge, Group, Text } from '@mantine/core'
import { PlaceSettings } from './settings-dialog.tsx'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useScope } from '../../session/use-scope.ts'
import { currentStages, updateProject, type PlaceChange, type Project } from './queries.ts'

interface ProjectRowProps {
  readonly project: Project
}

export function ProjectRow({ project }: ProjectRowProps) {
  const scope = useScope()
  const { projectSlug, name, createdAtMs, archivedAtMs } = project
  const stages = currentStages(project)
  const variables = stages.reduce((sum, stage) => sum + stage.variables, 0)
  const changedAtMs = Math.max(createdAtMs, ...stages.map(({ updatedAtMs }) => updatedAtMs))
  return (
    <RecordRow>
      <RecordCell>
        <Group gap="xs">
          <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }} fw={600}>
            {name}
          </TextLink>
          {archivedAtMs !== undefined && <Badge color="gray">Archived</Badge>}
        </Group>
        {name !== projectSlug && (
          <Text size="sm" c="dimmed">
            {projectSlug}
          </Text>
        )}
      </RecordCell>
      <RecordCell label="Stages">{stages.map((stage) => stage.name).join(', ') || 'None yet'}</RecordCell>
      <RecordCell label="Variables">{variables.toLocaleString('en')}</RecordCell>
      <RecordCell label="Last change">
        <TimeText ms={changedAtMs} />
      </RecordCell>
      <RecordCell>
        <PlaceSettings
          what="project"
          name={name}
          isArchived={archivedAtMs !== undefined}
          change={(change: PlaceChange) => updateProject(scope, projectSlug, change)}
        />
      </RecordCell>
    </RecordRow>
  )
}
