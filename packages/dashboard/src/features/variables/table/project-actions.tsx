import { Button, Group } from '@mantine/core'
import { ButtonLink } from '../../../ui/button-link.tsx'
import { PlaceSettings } from '../../projects/settings-dialog.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { currentStages, updateProject, type Project } from '../../projects/queries.ts'
import { CopyVariablesButton } from '../copy/copy-variables-button.tsx'
import { PasteButton } from '../paste/paste-button.tsx'
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
  const stages = currentStages(project)
  const isArchived = archivedAtMs !== undefined
  return (
    <Group gap="xs">
      {!isArchived && stages.length > 0 && (
        <>
          <Button size="sm" onClick={onAdd}>
            New variable
          </Button>
          <PasteButton project={project} />
        </>
      )}
      {!isArchived && stages.length > 1 && <CopyVariablesButton project={project} />}
      {!isArchived && <NewStageButton projectSlug={projectSlug} />}
      <ArchivedStages project={project} />
      <ButtonLink
        size="sm"
        variant="default"
        from="/o/$orgSlug"
        to="./p/$projectSlug/history"
        params={{ projectSlug }}
        search={{}}
      >
        History
      </ButtonLink>
      <PlaceSettings
        what="project"
        name={name}
        isArchived={isArchived}
        change={(change) => updateProject(scope, projectSlug, change)}
      />
    </Group>
  )
}
