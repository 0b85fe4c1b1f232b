import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSave } from '../../hooks/use-save.ts'
import { useScope } from '../../hooks/use-scope.ts'
import type { Row } from '../../variables/comparison.ts'
import { newDraft } from '../../variables/draft.ts'
import { currentStages, type Project } from '../../variables/projects.ts'
import { digestsQuery } from '../../variables/stage.ts'
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
  const place = { projectSlug: project.projectSlug, stageSlug: chosen }
  // What is made new depends on no revision.
  const save = useSave(place, 0, onClose)
  const { data } = useQuery(digestsQuery(useScope(), place))
  const stages = currentStages(project).filter((_, at) => like?.cells[at]?.variable === undefined)
  return (
    <VariableForm
      initial={newDraft(like?.name ?? '', like?.leading)}
      takenNames={like ? undefined : new Set(data?.variables.map(({ name }) => name))}
      mayBeUndeclared
      mayBeEmpty={false}
      save={{ ...save, mutate: (entry) => save.mutate({ do: 'create', entry }) }}
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
