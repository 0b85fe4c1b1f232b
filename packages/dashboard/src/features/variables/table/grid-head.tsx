import type { ReactNode } from 'react'
import { ChevronIcon } from '../../../ui/chevron-icon.tsx'
import { PlaceSettings } from '../../projects/settings-dialog.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { updateStage, type PlaceChange, type Stage } from '../../projects/queries.ts'
import classes from './variables-grid.module.css'

interface GridHeadProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  /** A column before all others. */
  readonly children: ReactNode
}

export function GridHead({ projectSlug, stages, children }: GridHeadProps) {
  const scope = useScope()
  return (
    <div role="rowgroup" className={classes['head']}>
      <div role="row" aria-rowindex={1} className={classes['row']}>
        {children}
        <div role="columnheader" className={classes['name']}>
          Variable
        </div>
        {stages.map(({ stageSlug, name }) => (
          <div key={stageSlug} role="columnheader" className={classes['stage']}>
            <PlaceSettings
              what="stage"
              name={name}
              isArchived={false}
              change={(change: PlaceChange) => updateStage(scope, projectSlug, stageSlug, change)}
              button={{
                children: name,
                rightSection: <ChevronIcon />,
                variant: 'subtle',
                className: classes['title'],
              }}
            />
          </div>
        ))}
      </div>
    </div>
  )
}
