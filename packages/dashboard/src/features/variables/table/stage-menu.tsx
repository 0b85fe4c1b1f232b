import type { Project, Stage } from '@rollkey/sdk/core'
import { Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { useMay } from '../../../session/permissions.ts'
import { useScope } from '../../../session/scope.ts'
import { toast } from '../../../ui/toast.tsx'
import { EndProtectionDialog } from '../../../parts/protection/end-protection-dialog.tsx'
import { type Command, useCommands } from '../../../ui/commands.ts'
import { protectCommand, rulesCommand, stageCommand } from '../../../data/projects/commands.ts'
import { PlaceMenu } from '../../../parts/projects/place-menu.tsx'
import {
  currentStages,
  deleteStage,
  orderStages,
  type PlaceChange,
  updateStage,
  useProjectChange,
} from '../../../data/projects/queries.ts'
import { RulesDrawer } from '../../../parts/protection/rules-drawer.tsx'
import { useOpenCopy } from '../copy/promotions.ts'
import { labels } from './labels.ts'
import { labels as protectionLabels } from '../../../parts/protection/labels.ts'

interface StageMenuProps extends Omit<StageMenuItemsProps, 'changes' | 'onRules' | 'onEnd'> {
  /** The button that opens it. */
  readonly target: ReactElement
}

/** Offers the actions of a stage. */
export function StageMenu({ project, stage, target }: StageMenuProps) {
  const scope = useScope()
  const may = useMay()
  const { projectSlug } = project
  const { stageSlug, name } = stage
  const [isEnding, setEnding] = useState(false)
  const [hasRules, setRules] = useState(false)
  const protect: Command = {
    id: protectCommand(projectSlug, stageSlug),
    label: stage.isProtected ? protectionLabels.unprotect : protectionLabels.protect(name),
    isKeyOnly: true,
    run: () => (stage.isProtected ? setEnding(true) : setRules(true)),
  }
  const rules: Command = {
    id: rulesCommand(projectSlug, stageSlug),
    label: protectionLabels.rules.title(name),
    isKeyOnly: true,
    run: () => setRules(true),
  }
  const changes = useStageChanges(project, stage)
  useCommands([
    ...(may('manage', { projectSlug, stageSlug }) ? [protect, rules] : []),
    ...changeCommands(project, stage, changes),
  ])
  return (
    <>
      <PlaceMenu
        what="stage"
        name={name}
        slug={stageSlug}
        isArchived={false}
        mayChange={may('write', { projectSlug, stageSlug })}
        mayDelete={may('manage', { projectSlug })}
        remove={() => deleteStage(scope, projectSlug, stageSlug)}
        change={(change: PlaceChange) => updateStage(scope, projectSlug, stageSlug, change)}
        ofPage={{ projectSlug, stageSlug }}
        target={target}
      >
        <StageMenuItems
          project={project}
          stage={stage}
          changes={changes}
          onRules={() => setRules(true)}
          onEnd={() => setEnding(true)}
        />
      </PlaceMenu>
      <RulesDrawer projectSlug={projectSlug} stage={stage} opened={hasRules} onClose={() => setRules(false)} />
      <EndProtectionDialog projectSlug={projectSlug} stage={stage} opened={isEnding} onClose={() => setEnding(false)} />
    </>
  )
}

/** Returns the changes without a dialog as commands, which the palette offers to those who may make them. */
function changeCommands(
  { projectSlug }: Project,
  { stageSlug }: Stage,
  { neighbors: { left, right }, moveTo, mark }: StageChanges,
): readonly Command[] {
  const command = (action: Parameters<typeof stageCommand>[0], label: string, run: () => void): Command => ({
    id: stageCommand(action, projectSlug, stageSlug),
    label,
    isKeyOnly: true,
    run,
  })
  return [
    command('mark', labels.markProduction, mark),
    ...(left ? [command('left', labels.moveLeft, () => moveTo(left))] : []),
    ...(right ? [command('right', labels.moveRight, () => moveTo(right))] : []),
  ]
}

interface StageMenuItemsProps {
  readonly project: Project
  readonly stage: Stage
  readonly changes: StageChanges
  /** Protects the stage, or opens what it requires of changes. */
  readonly onRules: () => void
  /** Asks whether to end the protection. */
  readonly onEnd: () => void
}

/** Lists the actions of a stage besides renaming, archiving and deleting. */
function StageMenuItems({ project, stage, changes: { neighbors, moveTo, mark }, onRules, onEnd }: StageMenuItemsProps) {
  const { projectSlug } = project
  const { stageSlug } = stage
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const openCopy = useOpenCopy(projectSlug)
  const may = useMay()
  const mayOrder = may('write', { projectSlug })
  const mayWrite = may('write', { projectSlug, stageSlug })
  const mayManage = may('manage', { projectSlug, stageSlug })
  const others = currentStages(project).filter((each) => each !== stage)
  const compare = (from: string, to: string): void =>
    void navigate({ to: './p/$projectSlug/compare', params: { projectSlug }, search: { from, to } })
  return (
    <>
      {others.length > 0 && (
        <>
          <OtherStages label={labels.compareWith} stages={others} onChoose={(other) => compare(stageSlug, other)} />
          {mayWrite && (
            <OtherStages
              label={labels.copyFrom}
              stages={others}
              onChoose={(other) => openCopy(other, stageSlug, 'missing')}
            />
          )}
        </>
      )}
      <Menu.Item
        onClick={() =>
          void navigate({ to: './p/$projectSlug/history', params: { projectSlug }, search: { stage: stageSlug } })
        }
      >
        {labels.history}
      </Menu.Item>
      {(mayOrder || mayWrite || mayManage) && <Menu.Divider />}
      {mayOrder && (
        <>
          <Menu.Item disabled={!neighbors.left} onClick={() => neighbors.left && moveTo(neighbors.left)}>
            {labels.moveLeft}
          </Menu.Item>
          <Menu.Item disabled={!neighbors.right} onClick={() => neighbors.right && moveTo(neighbors.right)}>
            {labels.moveRight}
          </Menu.Item>
        </>
      )}
      {mayWrite && (
        <Menu.Item onClick={mark}>{stage.isProduction ? labels.unmarkProduction : labels.markProduction}</Menu.Item>
      )}
      {mayManage && (
        <Menu.Item onClick={onRules}>
          {stage.isProtected ? protectionLabels.rules.item : protectionLabels.protect(stage.name)}
        </Menu.Item>
      )}
      {mayManage && stage.isProtected && <Menu.Item onClick={onEnd}>{protectionLabels.unprotect}</Menu.Item>}
    </>
  )
}

interface OtherStagesProps {
  readonly label: string
  readonly stages: readonly Stage[]
  readonly onChoose: (stageSlug: string) => void
}

function OtherStages({ label, stages, onChoose }: OtherStagesProps) {
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item>{label}</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        {stages.map(({ stageSlug, name }) => (
          <Menu.Item key={stageSlug} onClick={() => onChoose(stageSlug)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  )
}

interface StageChange {
  readonly save: () => Promise<void>
  /** Tells what it did. */
  readonly done: string
  /** Takes it back. */
  readonly back: () => Promise<void>
  readonly undone: string
}

type StageChanges = ReturnType<typeof useStageChanges>

/** Returns the changes of a stage without a dialog: its place in the order, and its production mark. */
function useStageChanges(project: Project, stage: Stage) {
  const scope = useScope()
  const { projectSlug, stages } = project
  const { stageSlug, name, isProduction } = stage
  const shown = currentStages(project)
  const at = shown.indexOf(stage)
  // The menu is gone when the service answers, so the change itself says how it ended.
  const run = useProjectChange((step: () => Promise<void>) => step())
  const change = useProjectChange(async ({ save, done, back, undone }: StageChange) => {
    try {
      await save()
      toast.success(done, {
        undo: async () => {
          await run.mutateAsync(back)
          return undone
        },
        redo: () => run.mutateAsync(save),
      })
    } catch (error) {
      toast.error(error)
    }
  })
  const order = (of: readonly Stage[]) => () =>
    orderStages(
      scope,
      projectSlug,
      of.map((each) => each.stageSlug),
    )
  const setProduction = (is: boolean) => () => updateStage(scope, projectSlug, stageSlug, { isProduction: is })
  const marked = [labels.unmarked(name), labels.marked(name)] as const
  return {
    neighbors: { left: shown[at - 1], right: shown[at + 1] },
    /** Swaps the places of two stages. */
    moveTo: (other: Stage) => {
      const swapped = stages.map((each) => (each === stage ? other : each === other ? stage : each))
      change.mutate({
        save: order(swapped),
        done: labels.moved(name),
        back: order(stages),
        undone: labels.movedBack(name),
      })
    },
    mark: () =>
      change.mutate({
        save: setProduction(!isProduction),
        done: marked[isProduction ? 0 : 1],
        back: setProduction(isProduction),
        undone: marked[isProduction ? 1 : 0],
      }),
  }
}
