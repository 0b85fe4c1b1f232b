import { Button, Group } from '@mantine/core'
import { PlaceSettings } from '../../components/place-settings.tsx'
import { useScope } from '../../hooks/use-scope.ts'
import { currentStages, updateProject, type Project } from '../../variables/projects.ts'
import { ArchivedStages } from './archived-stages.tsx'
import { NewStageButton } from './new-stage-button.tsx'

interface ProjectActionsProps {
  readonly project: Project
  /** Starts a new variable. */
  readonly onAdd: () => void
}

export function ProjectActions({ project, onAdd }: ProjectActionsProps) {
  const scope = useScope()
  const { projectSlug, name, archivedAtMs } = project
  const isArchived = archivedAtMs !== undefined
  return (
    <Group gap="xs">
      {!isArchived && currentStages(project).length > 0 && (
        <Button size="sm" onClick={onAdd}>
          New variable
        </Button>
      )}
      {!isArchived && <NewStageButton projectSlug={projectSlug} />}
      <ArchivedStages project={project} />
      <PlaceSettings
        what="project"
        name={name}
        isArchived={isArchived}
        change={(change) => updateProject(scope, projectSlug, change)}
      />
    </Group>
  )
}
