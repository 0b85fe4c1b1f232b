import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ButtonLink } from '../../../ui/button-link.tsx'
import { PlaceMenu } from '../../projects/place-menu.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { createStage, currentStages, type Project, updateProject, updateStage } from '../../projects/queries.ts'
import { CopyVariablesButton } from '../copy/copy-variables-button.tsx'
import { PasteButton } from '../paste/paste-button.tsx'
import { type NewPlace, CreateForm } from '../../projects/create-form.tsx'
import { useProjectChange } from '../../projects/use-project-change.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { ChevronIcon } from '../../../ui/chevron-icon.tsx'
import { labels } from './labels.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'

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
      <PlaceMenu
        what="project"
        name={name}
        isArchived={isArchived}
        change={(change) => updateProject(scope, projectSlug, change)}
        target={
          <Button size="sm" variant="default" rightSection={<ChevronIcon />}>
            {labels.more}
          </Button>
        }
      />
    </Group>
  )
}

interface NewStageButtonProps {
  readonly projectSlug: string
}

function NewStageButton({ projectSlug }: NewStageButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const scope = useScope()
  const create = useProjectChange(async ({ name, slug }: NewPlace) => {
    await createStage(scope, projectSlug, slug, name.trim())
    close()
  })
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        New stage
      </Button>
      <Modal opened={isOpen} onClose={close} title="New stage">
        <CreateForm what="Stage" mutation={create} />
      </Modal>
    </>
  )
}

interface ArchivedStagesProps {
  readonly project: Project
}

/** The way back for stages that were archived. */
function ArchivedStages({ project: { projectSlug, stages } }: ArchivedStagesProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const scope = useScope()
  const takeOut = useProjectChange((stageSlug: string) =>
    updateStage(scope, projectSlug, stageSlug, { archived: false }),
  )
  const archived = stages.filter(({ archivedAtMs }) => archivedAtMs !== undefined)
  return (
    <>
      {archived.length > 0 && (
        <Button size="sm" variant="default" onClick={open}>
          Archived stages ({archived.length})
        </Button>
      )}
      <Modal opened={isOpen && archived.length > 0} onClose={close} title="Archived stages">
        <Stack>
          <Text>Applications read them as before; nobody can change them.</Text>
          {archived.map(({ stageSlug, name }) => (
            <Group key={stageSlug} justify="space-between">
              <Text fw={600}>{name}</Text>
              <BusyButton
                size="sm"
                variant="default"
                aria-label={`Restore ${name} from the archive`}
                isBusy={takeOut.isPending && takeOut.variables === stageSlug}
                onClick={() => takeOut.mutate(stageSlug)}
              >
                Restore
              </BusyButton>
            </Group>
          ))}
          <ErrorNotice error={takeOut.error} />
        </Stack>
      </Modal>
    </>
  )
}
