import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { useChanges } from '../../changes/changes-context.ts'
import type { Project } from '../../projects/queries.ts'
import { useStageContents } from '../use-stage-contents.ts'
import { newDraft } from './draft.ts'
import { VariableForm } from './variable-form.tsx'

interface NewVariableProps {
  readonly project: Project
  readonly onClose: () => void
}

/** Creates a variable, in all stages unless the person chooses fewer. */
export function NewVariable({ project, onClose }: NewVariableProps) {
  const { stages, error } = useStageContents(project)
  const { pending } = useChanges()
  if (!stages) return error ? <ErrorNotice error={error} /> : <Loading />
  return (
    <VariableForm
      projectSlug={project.projectSlug}
      stages={stages.map(({ stage, contents: { variables, revision } }) => ({
        stage,
        variable: undefined,
        revision,
        takenNames: new Set(
          [...variables, ...pending.filter(({ stageSlug }) => stageSlug === stage.stageSlug)].map(({ name }) => name),
        ),
      }))}
      initial={newDraft(
        '',
        stages.map(({ stage }) => stage.stageSlug),
      )}
      isNew
      onDone={onClose}
      onCancel={onClose}
    />
  )
}
