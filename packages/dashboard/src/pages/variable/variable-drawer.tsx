import { Drawer } from '@mantine/core'
import { useState } from 'react'
import type { Row } from '../../variables/comparison.ts'
import { currentStages, type Project } from '../../variables/projects.ts'
import { ExistingVariable } from './existing-variable.tsx'
import { NewVariable } from './new-variable.tsx'

/** What the drawer is about: a variable in a stage, or one that has no name yet. */
export interface Target {
  readonly stageSlug: string
  readonly name?: string
}

interface VariableDrawerProps {
  readonly project: Project
  readonly rows: readonly Row[]
  /** Undefined: it is closed. */
  readonly target: Target | undefined
  readonly onClose: () => void
}

export function VariableDrawer({ project, rows, target, onClose }: VariableDrawerProps) {
  return (
    <Drawer opened={target !== undefined} onClose={onClose} title={target?.name ?? 'New variable'}>
      {target && (
        <VariablePanel key={JSON.stringify(target)} project={project} rows={rows} target={target} onClose={onClose} />
      )}
    </Drawer>
  )
}

interface VariablePanelProps extends VariableDrawerProps {
  readonly target: Target
}

function VariablePanel({ project, rows, target: { stageSlug, name }, onClose }: VariablePanelProps) {
  const stages = currentStages(project)
  const row = rows.find((each) => each.name === name)
  const at = stages.findIndex((stage) => stage.stageSlug === stageSlug)
  // As it was when it was opened: should somebody delete it now, what is typed here stays.
  const [variable] = useState(row?.cells[at]?.variable)
  const stage = stages[at]
  if (!stage) return null
  const place = { projectSlug: project.projectSlug, stageSlug }
  return variable ? (
    <ExistingVariable variable={variable} stage={stage} place={place} onClose={onClose} />
  ) : (
    <NewVariable project={project} like={row} stageSlug={stageSlug} onClose={onClose} />
  )
}
