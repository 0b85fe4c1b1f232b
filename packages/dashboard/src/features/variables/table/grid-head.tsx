import { UnstyledButton } from '@mantine/core'
import { memo } from 'react'
import { IconDown } from '../../../ui/icons.ts'
import { StatusBadge } from '../../../ui/status.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { PlaceMenu } from '../../projects/place-menu.tsx'
import { deleteStage, type PlaceChange, type Project, updateStage } from '../../projects/queries.ts'
import type { ShownStage } from './grid-row.tsx'
import { labels } from './labels.ts'
import { StageMenuItems } from './stage-menu-items.tsx'
import classes from './variables-grid.module.css'

interface GridHeadProps {
  readonly project: Project
  readonly stages: readonly ShownStage[]
  readonly hasLastChange: boolean
  readonly areAllSelected: boolean
  readonly onSelectAll: () => void
}

export function GridHead({ project, stages, hasLastChange, areAllSelected, onSelectAll }: GridHeadProps) {
  return (
    <div role="row" aria-rowindex={1} className={classes['row']}>
      <div role="columnheader" className={classes['select']}>
        <input type="checkbox" aria-label={labels.selectAll} checked={areAllSelected} onChange={onSelectAll} />
      </div>
      <div role="columnheader" className={classes['variable']}>
        {labels.variable}
      </div>
      {hasLastChange && (
        <div role="columnheader" className={classes['change']}>
          {labels.lastChange}
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
  const scope = useScope()
  const { projectSlug } = project
  const { stageSlug, name } = stage
  return (
    <div role="columnheader" className={classes['stage']}>
      <PlaceMenu
        what="stage"
        name={name}
        slug={stageSlug}
        isArchived={false}
        remove={() => deleteStage(scope, projectSlug, stageSlug)}
        change={(change: PlaceChange) => updateStage(scope, projectSlug, stageSlug, change)}
        target={
          <UnstyledButton className={classes['title']} aria-label={labels.stageMenu(name, stage.isProduction)}>
            <span className={classes['stage-name']}>{name}</span>{' '}
            {stage.isProduction && <StatusBadge status="production">{labels.production}</StatusBadge>}
            <IconDown size={14} />
          </UnstyledButton>
        }
      >
        <StageMenuItems project={project} stage={stage} />
      </PlaceMenu>
    </div>
  )
})
