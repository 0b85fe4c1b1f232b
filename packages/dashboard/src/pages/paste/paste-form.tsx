import { NativeSelect, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { BusyButton } from '../../components/busy-button.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { usePaste } from '../../hooks/use-paste.ts'
import { currentStages, type Project } from '../../variables/projects.ts'
import { PastePreview } from './paste-preview.tsx'

interface PasteFormProps {
  readonly project: Project
  readonly onDone: () => void
}

/** A text, what it would do to a stage, and one button that does it. */
export function PasteForm({ project, onDone }: PasteFormProps) {
  const stages = currentStages(project).map((stage) => ({ value: stage.stageSlug, label: stage.name }))
  const [stageSlug, setStageSlug] = useState(stages[0]?.value ?? '')
  const [text, setText] = useState('')
  const { pastes, error, save } = usePaste(text, { projectSlug: project.projectSlug, stageSlug }, onDone)
  const count = typeof pastes === 'string' ? 0 : pastes.length
  return (
    <Stack>
      <NativeSelect
        label="Stage"
        data={stages}
        value={stageSlug}
        onChange={(event) => setStageSlug(event.currentTarget.value)}
      />
      <Textarea
        label="Contents of the file"
        description="Lines of NAME=value. Nothing is sent before you save."
        rows={10}
        autoComplete="off"
        spellCheck={false}
        value={text}
        error={typeof pastes === 'string' && pastes}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      {typeof pastes !== 'string' && count > 0 && <PastePreview pastes={pastes} />}
      <ProblemNotice error={error} />
      <BusyButton
        disabled={count === 0}
        isBusy={save.isPending}
        onClick={() => typeof pastes !== 'string' && save.mutate(pastes)}
      >
        {count === 1 ? 'Save 1 variable' : `Save ${count} variables`}
      </BusyButton>
    </Stack>
  )
}
