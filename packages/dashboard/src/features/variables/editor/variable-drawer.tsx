import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { FormDrawer } from '../../../ui/form-drawer.tsx'
import type { Row } from '../comparison.ts'
import { currentStages, type Project } from '../../projects/queries.ts'
import { useChanges } from '../../changes/changes-context.ts'
import { useScope } from '../../../session/use-scope.ts'
import { useVariableChange } from '../../changes/use-variable-change.ts'
import { changeAt } from '../../changes/change-set.ts'
import { digestsQuery } from '../queries.ts'
import { type Target, useOpenVariable } from './use-open-variable.ts'
import { ExistingVariable } from './existing-variable.tsx'
import { draftOf, newDraft } from './draft.ts'
import { VariableForm } from './variable-form.tsx'

interface VariableDrawerProps {
  readonly project: Project
  readonly rows: readonly Row[]
}

/** The variable that the address of the page names. */
export function VariableDrawer({ project, rows }: VariableDrawerProps) {
  const { target, close } = useOpenVariable()
  return (
    <FormDrawer opened={target !== undefined} onClose={close} title={target?.name ?? 'New variable'}>
      {target && (
        <VariablePanel key={JSON.stringify(target)} project={project} rows={rows} target={target} onClose={close} />
      )}
    </FormDrawer>
  )
}

interface VariablePanelProps extends VariableDrawerProps {
  readonly target: Target
  readonly onClose: () => void
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

interface NewVariableProps {
  readonly project: Project
  /** The variable in the other stages, if it is in any. */
  readonly like: Row | undefined
  readonly stageSlug: string
  readonly onClose: () => void
}

function NewVariable({ project, like, stageSlug, onClose }: NewVariableProps) {
  const [chosen, setChosen] = useState(stageSlug)
  const place = { projectSlug: project.projectSlug, stageSlug: chosen }
  const { data } = useQuery(digestsQuery(useScope(), place))
  const name = like?.name
  // Somebody may have made it since this was opened.
  const before = data?.variables.find((variable) => variable.name === name)
  const save = useVariableChange({ place, name, before, revision: data?.revision ?? 0 }, onClose)
  const { pending } = useChanges()
  const others = [...(data?.variables ?? []), ...pending.filter((change) => change.stageSlug === chosen)]
  const entry = changeAt(pending, stageSlug, name)?.entry
  // As when it was opened: a stage that somebody else sets it in meanwhile does not vanish from here.
  const [stages] = useState(() => currentStages(project).filter((_, at) => like?.cells[at]?.variable === undefined))
  return (
    <VariableForm
      initial={entry ? draftOf(entry) : newDraft(name ?? '', like?.leading)}
      takenNames={like ? undefined : new Set(others.map((other) => other.name))}
      mayBeUndeclared
      mayBeEmpty={entry !== undefined}
      save={{ ...save, mutate: (created) => save.mutate({ do: 'create', entry: created }) }}
    >
      <NativeSelect
        label="Stage"
        value={chosen}
        data={stages.map((stage) => ({ value: stage.stageSlug, label: stage.name }))}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
    </VariableForm>
  )
}
