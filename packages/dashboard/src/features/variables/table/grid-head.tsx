import type { Project } from '@rollkey/sdk/core'
import { UnstyledButton } from '@mantine/core'
import { memo } from 'react'
import { IconDown, IconSortDown, IconSortUp } from '../../../ui/icons.ts'
import { mixed } from '../../../ui/mixed.ts'
import { StatusBadge } from '../../../ui/status.tsx'
import { ProtectedMark } from '../../../parts/projects/protected-mark.tsx'
import { stageFocus } from '../../../data/projects/commands.ts'
import type { Sort } from '../project-search.ts'
import type { ShownStage } from './grid-row.tsx'
import { labels } from './labels.ts'
import type { Selection } from './selection-bar.tsx'
import { StageMenu } from './stage-menu.tsx'
import classes from './variables-grid.module.css'

interface GridHeadProps {
  readonly project: Project
  readonly stages: readonly ShownStage[]
  readonly hasLastChange: boolean
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly selection: Pick<Selection, 'areAllSelected' | 'selected' | 'selectAll'>
}

export function GridHead({ project, stages, hasLastChange, sort, onSort, selection }: GridHeadProps) {
  const { areAllSelected, selected, selectAll } = selection
  return (
    <div role="row" aria-rowindex={1} className={classes['row']}>
      <div role="columnheader" className={classes['select']}>
        <label className={classes['select-target']}>
          <input
            ref={mixed(!areAllSelected && selected.size > 0)}
            type="checkbox"
            aria-label={labels.selectAll}
            checked={areAllSelected}
            onChange={selectAll}
          />
        </label>
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

const StageHead = memo(function StageHead({ project, shown: { stage, filling } }: StageHeadProps) {
  const { name } = stage
  return (
    <div role="columnheader" className={classes['stage']} data-filling={filling !== undefined || undefined}>
      <StageMenu
        project={project}
        stage={stage}
        target={
          <UnstyledButton
            className={classes['title']}
            data-focus={stageFocus(stage.stageSlug)}
            aria-label={labels.stageMenu(name, stage.isProduction)}
          >
            <span className={classes['stage-name']}>{name}</span>{' '}
            <ProtectedMark isProtected={stage.isProtected} protection={stage.protection} />
            {stage.isProduction && (
              <span
                className={classes['production']}
                title={stage.isProtected ? labels.production : labels.unprotected}
              >
                <StatusBadge status="production">
                  <span className={classes['production-word']}>{labels.production}</span>
                </StatusBadge>
              </span>
            )}
            <IconDown size={14} />
          </UnstyledButton>
        }
      />
      {filling && <span className={classes['filling']}>{labels.filling(filling)}</span>}
    </div>
  )
})
