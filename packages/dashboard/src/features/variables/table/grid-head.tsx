import { Menu, UnstyledButton } from '@mantine/core'
import { memo, type ReactElement } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { IconDown, IconSortDown, IconSortUp } from '../../../ui/icons.ts'
import { StatusBadge } from '../../../ui/status.tsx'
import { useScope } from '../../../session/scope.ts'
import { PlaceMenu } from '../../projects/place-menu.tsx'
import {
  currentStages,
  deleteStage,
  orderStages,
  type PlaceChange,
  type Project,
  type Stage,
  updateStage,
  useProjectChange,
} from '../../projects/queries.ts'
import { toast } from '../../../ui/toast.tsx'
import type { Sort } from '../project-search.ts'
import type { ShownStage } from './grid-row.tsx'
import { labels } from './labels.ts'
import classes from './variables-grid.module.css'

interface GridHeadProps {
  readonly project: Project
  readonly stages: readonly ShownStage[]
  readonly hasLastChange: boolean
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly areAllSelected: boolean
  readonly onSelectAll: () => void
}

export function GridHead(props: GridHeadProps) {
  const { project, stages, hasLastChange, sort, onSort, areAllSelected, onSelectAll } = props
  return (
    <div role="row" aria-rowindex={1} className={classes['row']}>
      <div role="columnheader" className={classes['select']}>
        <input type="checkbox" aria-label={labels.selectAll} checked={areAllSelected} onChange={onSelectAll} />
      </div>
      <div role="columnheader" className={classes['variable']} aria-sort={sort === 'name' ? 'ascending' : 'none'}>
        <UnstyledButton className={classes['title']} onClick={() => onSort('name')}>
          {labels.variable}
          {sort === 'name' && <IconSortUp size={14} />}
        </UnstyledButton>
      </div>
      {hasLastChange && (
        <div role="columnheader" className={classes['change']} aria-sort={sort === 'changed' ? 'descending' : 'none'}>
          <UnstyledButton className={classes['title']} onClick={() => onSort('changed')}>
            {labels.lastChange}
            {sort === 'changed' && <IconSortDown size={14} />}
          </UnstyledButton>
        </div>
      )}
      {stages.map((shown) => (
        <StageHead key={shown.stage.stageSlug} project={project} shown={shown} />
      ))}
    </div>
  )
}

interface StageHeadProps {
  readonly project: Project
  readonly shown: ShownStage
}

const StageHead = memo(function StageHead({ project, shown: { stage } }: StageHeadProps) {
  const { name } = stage
  return (
    <div role="columnheader" className={classes['stage']}>
      <StageMenu
        project={project}
        stage={stage}
        target={
          <UnstyledButton className={classes['title']} aria-label={labels.stageMenu(name, stage.isProduction)}>
            <span className={classes['stage-name']}>{name}</span>{' '}
            {stage.isProduction && (
              <span className={classes['production']} title={labels.production}>
                <StatusBadge status="production">
                  <span className={classes['production-word']}>{labels.production}</span>
                </StatusBadge>
              </span>
            )}
            <IconDown size={14} />
          </UnstyledButton>
        }
      />
    </div>
  )
})

interface StageMenuProps extends StageMenuItemsProps {
  /** The button that opens it. */
  readonly target: ReactElement
}

/** Offers the actions of a stage. */
export function StageMenu({ project, stage, target }: StageMenuProps) {
  const scope = useScope()
  const { projectSlug } = project
  const { stageSlug, name } = stage
  return (
    <PlaceMenu
      what="stage"
      name={name}
      slug={stageSlug}
      isArchived={false}
      remove={() => deleteStage(scope, projectSlug, stageSlug)}
      change={(change: PlaceChange) => updateStage(scope, projectSlug, stageSlug, change)}
      target={target}
    >
      <StageMenuItems project={project} stage={stage} />
    </PlaceMenu>
  )
}

interface StageMenuItemsProps {
  readonly project: Project
  readonly stage: Stage
}

/** Lists the actions of a stage besides renaming, archiving and deleting. */
function StageMenuItems({ project, stage }: StageMenuItemsProps) {
  const { projectSlug } = project
  const { stageSlug } = stage
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const { neighbors, moveTo, mark } = useStageChanges(project, stage)
  const others = currentStages(project).filter((each) => each !== stage)
  const compare = (from: string, to: string): void =>
    void navigate({ to: './p/$projectSlug/compare', params: { projectSlug }, search: { from, to } })
  return (
    <>
      {others.length > 0 && (
        <>
          <OtherStages label={labels.compareWith} stages={others} onChoose={(other) => compare(stageSlug, other)} />
          <OtherStages label={labels.copyFrom} stages={others} onChoose={(other) => compare(other, stageSlug)} />
        </>
      )}
      <Menu.Item
        onClick={() =>
          void navigate({ to: './p/$projectSlug/history', params: { projectSlug }, search: { stage: stageSlug } })
        }
      >
        {labels.history}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item disabled={!neighbors.left} onClick={() => neighbors.left && moveTo(neighbors.left)}>
        {labels.moveLeft}
      </Menu.Item>
      <Menu.Item disabled={!neighbors.right} onClick={() => neighbors.right && moveTo(neighbors.right)}>
        {labels.moveRight}
      </Menu.Item>
      <Menu.Item onClick={mark}>{stage.isProduction ? labels.unmarkProduction : labels.markProduction}</Menu.Item>
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

/** Returns the changes of a stage without a dialog: its place in the order, and its production mark. */
function useStageChanges(project: Project, stage: Stage) {
  const scope = useScope()
  const { projectSlug, stages } = project
  const { stageSlug, name, isProduction } = stage
  const shown = currentStages(project)
  const at = shown.indexOf(stage)
  // The menu is gone when the service answers, so the change itself says how it ended.
  const change = useProjectChange(async ({ save, done }: { save: () => Promise<void>; done: string }) => {
    try {
      await save()
      toast.success(done)
    } catch (error) {
      toast.error(error)
    }
  })
  const run = (save: () => Promise<void>, done: string): void => change.mutate({ save, done })
  return {
    neighbors: { left: shown[at - 1], right: shown[at + 1] },
    /** Swaps the places of two stages. */
    moveTo: (other: Stage) => {
      const slugs = stages.map((each) => (each === stage ? other : each === other ? stage : each).stageSlug)
      run(() => orderStages(scope, projectSlug, slugs), labels.moved(name))
    },
    mark: () =>
      run(
        () => updateStage(scope, projectSlug, stageSlug, { isProduction: !isProduction }),
        isProduction ? labels.unmarked(name) : labels.marked(name),
      ),
  }
}
