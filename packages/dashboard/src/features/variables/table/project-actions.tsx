import type { Project, Stage } from '@rollkey/sdk/core'
import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { BusyButton, ButtonLink } from '../../../ui/buttons.tsx'
import { type Command, requestCommand, useCommands } from '../../../ui/commands.ts'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { IconAdd, IconArchive, IconMore, IconPaste, IconRoll, IconStage, IconSwitch } from '../../../ui/icons.ts'
import { toast } from '../../../ui/toast.tsx'
import { useMay } from '../../../session/permissions.ts'
import { useScope } from '../../../session/scope.ts'
import { PlaceMenu } from '../../../parts/projects/place-menu.tsx'
import {
  createStage,
  currentStages,
  deleteProject,
  updateProject,
  updateStage,
  useProjectChange,
  useProjectWhere,
} from '../../../data/projects/queries.ts'
import { focusOn } from '../../../ui/focus.ts'
import { newRollCommand, newStageCommand, stageFocus } from '../../../data/projects/commands.ts'
import { useIsPhone } from '../../../ui/use-is-phone.ts'
import { labels as copyLabels } from '../copy/labels.ts'
import { useOpenCopy, usePromotions } from '../copy/promotions.ts'
import { useOpenVariable } from '../editor/variable-drawer.tsx'
import { PasteDrawer } from '../paste/paste-drawer.tsx'
import { labels } from './labels.ts'
import { FormDrawer } from '../../../ui/form.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import { type NewStage, NewStageForm } from './new-stage-form.tsx'
import { useManages, useProjectPages } from './project-pages.ts'

interface ProjectActionsProps {
  readonly project: Project
}

export function ProjectActions({ project }: ProjectActionsProps) {
  const { projectSlug } = project
  const pages = useProjectPages(project)
  const writable = useWritable(project)
  const [first] = currentStages(writable)
  const canWrite = first !== undefined
  const [dialog, setDialog] = useState<ProjectDialog>()
  const close = (): void => setDialog(undefined)
  const isPhone = useIsPhone()
  useProjectCommands(project, setDialog)
  return (
    <>
      {!isPhone &&
        pages.map(
          ({ to, label, Icon, hasButton }) =>
            hasButton && (
              <ButtonLink
                key={to}
                variant="default"
                leftSection={<Icon />}
                from="/o/$orgSlug"
                to={to}
                params={{ projectSlug }}
                search={{}}
              >
                {label}
              </ButtonLink>
            ),
        )}
      {!isPhone && canWrite && <PasteButton projectSlug={projectSlug} />}
      <ProjectMenu project={project} onOpen={setDialog} />
      {canWrite && <NewVariableButton stageSlug={first.stageSlug} />}
      {canWrite && <PasteDrawer project={writable} opened={dialog === 'paste'} onClose={close} />}
      <NewStageDrawer projectSlug={projectSlug} opened={dialog === 'new-stage'} onClose={close} />
      <ArchivedStages project={project} opened={dialog === 'archived-stages'} onClose={close} />
    </>
  )
}

type ProjectDialog = 'paste' | 'new-stage' | 'archived-stages'

/** Returns the project with the stages that the viewer may change: none if it is archived. */
export function useWritable(project: Project): Project {
  const writable = useProjectWhere(project, 'write')
  return useMemo(
    () => (project.archivedAtMs === undefined ? writable : { ...writable, stages: [] }),
    [project.archivedAtMs, writable],
  )
}

/** Offers what the buttons do to the keys and the palette. */
function useProjectCommands(project: Project, onOpen: (what: ProjectDialog) => void): void {
  const { projectSlug } = project
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const { open } = useOpenVariable()
  const pages = useProjectPages(project)
  const [first] = currentStages(useWritable(project))
  const writing = (stageSlug: string): readonly Command[] => [
    {
      id: `new-variable/${projectSlug}`,
      label: labels.newVariable,
      keys: 'n',
      icon: IconAdd,
      run: () => open({ stageSlug }),
    },
    {
      id: newRollCommand(projectSlug),
      label: labels.newRoll,
      icon: IconRoll,
      run: () => open({ stageSlug }, { isRoll: true }),
    },
    { id: pasteCommand(projectSlug), label: labels.paste, icon: IconPaste, run: () => onOpen('paste') },
  ]
  const openCopy = useOpenCopy(projectSlug)
  const promoting = usePromotions(project).map(({ from, to }): Command => ({
    label: copyLabels.promote(from.name, to.name),
    icon: IconSwitch,
    run: () => openCopy(from.stageSlug, to.stageSlug, 'missing'),
  }))
  const newStage: Command = {
    id: newStageCommand(projectSlug),
    label: labels.newStage,
    icon: IconStage,
    run: () => onOpen('new-stage'),
  }
  const mayWrite = useMay()('write', { projectSlug })
  const archived = project.stages.filter(({ archivedAtMs }) => archivedAtMs !== undefined).length
  const restore = { label: labels.archivedStages(archived), icon: IconArchive, run: () => onOpen('archived-stages') }
  useCommands([
    ...(first ? writing(first.stageSlug) : []),
    ...promoting,
    ...pages.map(({ to, command, keys, Icon }) => ({
      label: command,
      keys,
      icon: Icon,
      run: () => void navigate({ to, params: { projectSlug }, search: {} }),
    })),
    ...(mayWrite && project.archivedAtMs === undefined ? [newStage] : []),
    ...(mayWrite && archived > 0 ? [restore] : []),
  ])
}

function pasteCommand(projectSlug: string): string {
  return `paste/${projectSlug}`
}

interface PasteButtonProps {
  readonly projectSlug: string
}

/** Opens the drawer of the page's actions. */
export function PasteButton({ projectSlug }: PasteButtonProps) {
  return (
    <Button variant="default" leftSection={<IconPaste />} onClick={() => requestCommand(pasteCommand(projectSlug))}>
      {labels.paste}
    </Button>
  )
}

interface NewVariableButtonProps {
  readonly stageSlug: string
  /** Absent: the primary button. */
  readonly variant?: 'default'
}

export function NewVariableButton({ stageSlug, variant }: NewVariableButtonProps) {
  const { open } = useOpenVariable()
  return (
    <Button {...(variant && { variant })} leftSection={<IconAdd />} onClick={() => open({ stageSlug })}>
      {labels.newVariable}
    </Button>
  )
}

interface ProjectMenuProps extends ProjectActionsProps {
  readonly onOpen: (what: ProjectDialog) => void
}

/** Offers the rarer actions of a project; on a phone, all but the primary one. */
function ProjectMenu({ project, onOpen }: ProjectMenuProps) {
  const scope = useScope()
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const isPhone = useIsPhone()
  const { projectSlug, name, archivedAtMs } = project
  const may = useMay()
  const pages = useProjectPages(project)
  const canWrite = currentStages(useWritable(project)).length > 0
  const hasPromotions = usePromotions(project).length > 0
  const mayManage = useManages(project)
  const isArchived = archivedAtMs !== undefined
  const mayChange = may('write', { projectSlug })
  const archived = project.stages.filter((stage) => stage.archivedAtMs !== undefined)
  const pageItem = ({ to, label }: (typeof pages)[number]) => (
    <Menu.Item key={to} onClick={() => void navigate({ to, params: { projectSlug }, search: {} })}>
      {label}
    </Menu.Item>
  )
  return (
    <PlaceMenu
      what="project"
      name={name}
      slug={projectSlug}
      isArchived={isArchived}
      ofPage={{ projectSlug }}
      mayChange={mayChange}
      mayDelete={may('manage')}
      remove={async () => {
        await deleteProject(scope, projectSlug)
        await navigate({ to: './projects' })
      }}
      change={(change) => updateProject(scope, projectSlug, change)}
      target={
        <ActionIcon variant="default" size="var(--control-height)" aria-label={labels.more}>
          <IconMore />
        </ActionIcon>
      }
    >
      {isPhone && pages.filter(({ hasButton }) => hasButton).map(pageItem)}
      {isPhone && canWrite && <Menu.Item onClick={() => onOpen('paste')}>{labels.paste}</Menu.Item>}
      <PromotionItems project={project} />
      {pages.filter(({ hasButton }) => !hasButton).map(pageItem)}
      {mayManage && <CredentialItems projectSlug={projectSlug} />}
      {(isPhone || mayManage || hasPromotions) && <Menu.Divider />}
      {!isArchived && mayChange && <Menu.Item onClick={() => onOpen('new-stage')}>{labels.newStage}</Menu.Item>}
      {mayChange && archived.length > 0 && (
        <Menu.Item onClick={() => onOpen('archived-stages')}>{labels.archivedStages(archived.length)}</Menu.Item>
      )}
    </PlaceMenu>
  )
}

/** Lead to what has access to the project, or learns what happens there. */
function CredentialItems({ projectSlug }: Pick<Project, 'projectSlug'>) {
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const managesAll = useMay()('manage')
  const search = { project: projectSlug }
  return (
    <>
      <Menu.Item onClick={() => void navigate({ to: './settings/tokens', search })}>{labels.tokens}</Menu.Item>
      <Menu.Item onClick={() => void navigate({ to: './settings/keys', search })}>{labels.clientKeys}</Menu.Item>
      <Menu.Item onClick={() => void navigate({ to: './settings/trusts', search })}>{labels.trusts}</Menu.Item>
      {managesAll && (
        <Menu.Item onClick={() => void navigate({ to: './settings/webhooks' })}>{labels.webhooks}</Menu.Item>
      )}
    </>
  )
}

function PromotionItems({ project }: ProjectActionsProps) {
  const openCopy = useOpenCopy(project.projectSlug)
  return usePromotions(project).map(({ from, to }) => (
    <Menu.Item key={to.stageSlug} onClick={() => openCopy(from.stageSlug, to.stageSlug, 'missing')}>
      {copyLabels.promote(from.name, to.name)}
    </Menu.Item>
  ))
}

interface NewStageDrawerProps {
  readonly projectSlug: string
  readonly opened: boolean
  readonly onClose: () => void
}

function NewStageDrawer({ projectSlug, opened, onClose }: NewStageDrawerProps) {
  const scope = useScope()
  const create = useProjectChange(async ({ name, slug }: NewStage) => {
    await createStage(scope, projectSlug, slug, name.trim())
    toast.success(labels.stageCreated(name.trim()))
    onClose()
    focusOn(stageFocus(slug))
  })
  return (
    <FormDrawer opened={opened} onClose={onClose} title={labels.newStage}>
      <NewStageForm mutation={create} />
    </FormDrawer>
  )
}

export function NewStageButton({ projectSlug }: { readonly projectSlug: string }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button leftSection={<IconAdd />} onClick={open}>
        {labels.newStage}
      </Button>
      <NewStageDrawer projectSlug={projectSlug} opened={isOpen} onClose={close} />
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
  const archive = useProjectChange((stageSlug: string) =>
    updateStage(scope, projectSlug, stageSlug, { archived: true }),
  )
  const restoreAgain = useProjectChange((stageSlug: string) =>
    updateStage(scope, projectSlug, stageSlug, { archived: false }),
  )
  const restore = useProjectChange(async ({ stageSlug, name }: Stage) => {
    await updateStage(scope, projectSlug, stageSlug, { archived: false })
    toast.success(labels.stageRestored(name), {
      undo: async () => {
        await archive.mutateAsync(stageSlug)
        return labels.stageArchived(name)
      },
      redo: () => restoreAgain.mutateAsync(stageSlug),
    })
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
