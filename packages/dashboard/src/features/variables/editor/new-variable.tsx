import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChanges } from '../../changes/changes-context.ts'
import { useScope } from '../../../session/use-scope.ts'
import { useVariableChange } from '../../changes/use-variable-change.ts'
import { changeAt } from '../../changes/change-set.ts'
import type { Row } from '../comparison.ts'
import { draftOf, newDraft } from './draft.ts'
import { currentStages, type Project } from '../../projects/queries.ts'
import { digestsQuery } from '../queries.ts'
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
