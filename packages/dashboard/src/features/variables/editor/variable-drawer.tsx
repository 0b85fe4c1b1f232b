import { Text } from '@mantine/core'
import { useState } from 'react'
import { FormDrawer } from '../../../ui/form-drawer.tsx'
import type { Row } from '../comparison.ts'
import { currentStages, type Project } from '../../projects/queries.ts'
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
    <FormDrawer opened={target !== undefined} onClose={onClose} title={target?.name ?? 'New variable'}>
      {target && (
        <VariablePanel key={JSON.stringify(target)} project={project} rows={rows} target={target} onClose={onClose} />
      )}
    </FormDrawer>
  )
}

interface VariablePanelProps extends VariableDrawerProps {
  readonly target: Target
}

function VariablePanel({ project, rows, target: { stageSlug, name }, onClose }: VariablePanelProps) {
  // As it was when it was opened: whatever others do to the table, what is typed here stays.
  const [row] = useState(() => rows.find((each) => each.name === name))
  const [at] = useState(() => currentStages(project).findIndex((stage) => stage.stageSlug === stageSlug))
  const { projectSlug, archivedAtMs } = project
  const isReadOnly = archivedAtMs !== undefined
  const stage = project.stages.find((each) => each.stageSlug === stageSlug)
  if (!stage) return null
  if (row?.cells[at]?.variable) {
    const { name: present } = row
    const place = { projectSlug, stageSlug }
    return <ExistingVariable name={present} stage={stage} place={place} isReadOnly={isReadOnly} onClose={onClose} />
  }
  if (isReadOnly)
    return <Text>It is not in {stage.name}. This project is in the archive, so nothing can be added.</Text>
  return <NewVariable project={project} like={row} stageSlug={stageSlug} onClose={onClose} />
}
