import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useSave } from '../../hooks/use-save.ts'
import type { Row } from '../../variables/comparison.ts'
import { newDraft } from '../../variables/draft.ts'
import { currentStages, type Project } from '../../variables/projects.ts'
import { VariableForm } from './variable-form.tsx'

interface NewVariableProps {
  readonly project: Project
  /** The variable in the other stages, if it is in any. */
  readonly like: Row | undefined
  readonly stageSlug: string
  readonly onClose: () => void
}

export function NewVariable({ project, like, stageSlug, onClose }: NewVariableProps) {
  const [chosen, setChosen] = useState(stageSlug)
  // What is made new depends on no revision.
  const save = useSave({ projectSlug: project.projectSlug, stageSlug: chosen }, 0, onClose)
  return (
    <VariableForm
      initial={newDraft(like?.name ?? '', like?.leading)}
      isNameFixed={like !== undefined}
      mayBeUndeclared
      mayBeEmpty={false}
      label="Save variable"
      save={{ ...save, mutate: (entry) => save.mutate({ do: 'create', entry }) }}
    >
      <NativeSelect
        label="Stage"
        value={chosen}
        data={currentStages(project).map((stage) => ({ value: stage.stageSlug, label: stage.name }))}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
    </VariableForm>
  )
}
