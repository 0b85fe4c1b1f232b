import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { BusyButton, ButtonLink } from '../../../ui/buttons.tsx'
import { type Command, useCommands } from '../../../ui/commands.ts'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { IconAdd, IconCompare, IconHistory, IconMore } from '../../../ui/icons.ts'
import { toast } from '../../../ui/toast.tsx'
import { useScope } from '../../../session/scope.ts'
import { CreateForm, type NewPlace } from '../../projects/new-project.tsx'
import { PlaceMenu } from '../../projects/place-menu.tsx'
import {
  createStage,
  currentStages,
  deleteProject,
  type Project,
  type Stage,
  updateProject,
  updateStage,
  useProjectChange,
} from '../../projects/queries.ts'
import { CopyVariablesButton } from '../copy/copy-variables-button.tsx'
import { useOpenVariable } from '../editor/variable-drawer.tsx'
import { PasteButton } from '../paste/paste-button.tsx'
import { labels } from './labels.ts'

interface ProjectActionsProps {
  readonly project: Project
}

export function ProjectActions({ project }: ProjectActionsProps) {
  const { projectSlug, archivedAtMs } = project
  const [first, ...others] = currentStages(project)
  const isArchived = archivedAtMs !== undefined
  useProjectCommands(project)
  return (
    <>
      <ProjectMenu project={project} />
      <ButtonLink
        variant="default"
        leftSection={<IconHistory />}
        from="/o/$orgSlug"
        to="./p/$projectSlug/history"
        params={{ projectSlug }}
        search={{}}
      >
        {labels.history}
      </ButtonLink>
      {others.length > 0 && (
        <ButtonLink
          variant="default"
          leftSection={<IconCompare />}
          from="/o/$orgSlug"
          to="./p/$projectSlug/compare"
          params={{ projectSlug }}
        >
          {labels.compare}
        </ButtonLink>
      )}
      {!isArchived && others.length > 0 && <CopyVariablesButton project={project} />}
      {!isArchived && first && (
        <>
          <PasteButton project={project} />
          <NewVariableButton stageSlug={first.stageSlug} />
        </>
      )}
    </>
  )
}

/** Offers what the buttons do to the keys and the palette. */
function useProjectCommands(project: Project): void {
  const { projectSlug, archivedAtMs } = project
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const { open } = useOpenVariable()
  const [first, ...others] = currentStages(project)
  const params = { projectSlug }
  const newVariable = (stageSlug: string): Command => ({
    id: `new-variable/${projectSlug}`,
    label: labels.newVariable,
    keys: 'n',
    icon: IconAdd,
    run: () => open({ stageSlug }),
  })
  const compare: Command = {
    label: labels.compareStages,
    keys: 'g c',
    icon: IconCompare,
    run: () => void navigate({ to: './p/$projectSlug/compare', params, search: {} }),
  }
  useCommands([
    ...(first && archivedAtMs === undefined ? [newVariable(first.stageSlug)] : []),
    {
      label: labels.showHistory,
      keys: 'g h',
      icon: IconHistory,
      run: () => void navigate({ to: './p/$projectSlug/history', params, search: {} }),
    },
    ...(others.length > 0 ? [compare] : []),
  ])
}

interface NewVariableButtonProps {
  readonly stageSlug: string
}

export function NewVariableButton({ stageSlug }: NewVariableButtonProps) {
  const { open } = useOpenVariable()
  return (
    <Button leftSection={<IconAdd />} onClick={() => open({ stageSlug })}>
      {labels.newVariable}
    </Button>
  )
}

/** Offers the rarer actions of a project. */
function ProjectMenu({ project }: ProjectActionsProps) {
  const scope = useScope()
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const [dialog, setDialog] = useState<'create' | 'archived'>()
  const close = (): void => setDialog(undefined)
  const { projectSlug, name, archivedAtMs } = project
  const archived = project.stages.filter((stage) => stage.archivedAtMs !== undefined)
  return (
    <>
      <PlaceMenu
        what="project"
        name={name}
        slug={projectSlug}
        isArchived={archivedAtMs !== undefined}
        remove={async () => {
          await deleteProject(scope, projectSlug)
          await navigate({ to: './projects' })
        }}
        change={(change) => updateProject(scope, projectSlug, change)}
        target={
          <ActionIcon variant="default" size={32} aria-label={labels.more}>
            <IconMore />
          </ActionIcon>
        }
      >
        {archivedAtMs === undefined && <Menu.Item onClick={() => setDialog('create')}>{labels.newStage}</Menu.Item>}
        {archived.length > 0 && (
          <Menu.Item onClick={() => setDialog('archived')}>{labels.archivedStages(archived.length)}</Menu.Item>
        )}
      </PlaceMenu>
      <NewStageDialog projectSlug={projectSlug} opened={dialog === 'create'} onClose={close} />
      <ArchivedStages project={project} opened={dialog === 'archived'} onClose={close} />
    </>
  )
}

interface NewStageDialogProps {
  readonly projectSlug: string
  readonly opened: boolean
  readonly onClose: () => void
}

function NewStageDialog({ projectSlug, opened, onClose }: NewStageDialogProps) {
  const scope = useScope()
  const create = useProjectChange(async ({ name, slug }: NewPlace) => {
    await createStage(scope, projectSlug, slug, name.trim())
    toast.success(labels.stageCreated(name.trim()))
    onClose()
  })
  return (
    <Modal opened={opened} onClose={onClose} title={labels.newStage}>
      <CreateForm what="stage" mutation={create} />
    </Modal>
  )
}

export function NewStageButton({ projectSlug }: { readonly projectSlug: string }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button leftSection={<IconAdd />} onClick={open}>
        {labels.newStage}
      </Button>
      <NewStageDialog projectSlug={projectSlug} opened={isOpen} onClose={close} />
    </>
  )
}

interface ArchivedStagesProps {
  readonly project: Project
  readonly opened: boolean
  readonly onClose: () => void
}

/** Restores archived stages. */
function ArchivedStages({ project: { projectSlug, stages }, opened, onClose }: ArchivedStagesProps) {
  const scope = useScope()
  const restore = useProjectChange(async ({ stageSlug, name }: Stage) => {
    await updateStage(scope, projectSlug, stageSlug, { archived: false })
    toast.success(labels.stageRestored(name))
  })
  const archived = stages.filter(({ archivedAtMs }) => archivedAtMs !== undefined)
  return (
    <Modal opened={opened && archived.length > 0} onClose={onClose} title={labels.archivedTitle}>
      <Stack>
        <Text>{labels.archivedText}</Text>
        {archived.map((stage) => (
          <Group key={stage.stageSlug} justify="space-between">
            <Text fw={500}>{stage.name}</Text>
            <BusyButton
              variant="default"
              aria-label={labels.restoreStage(stage.name)}
              isBusy={restore.isPending && restore.variables === stage}
              onClick={() => restore.mutate(stage)}
            >
              {labels.restore}
            </BusyButton>
          </Group>
        ))}
        <ErrorNotice error={restore.error} />
      </Stack>
    </Modal>
  )
}
