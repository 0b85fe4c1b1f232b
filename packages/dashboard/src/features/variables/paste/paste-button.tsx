import { Button, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDrawer } from '../../../ui/form-drawer.tsx'
import { currentStages, type Project } from '../../projects/queries.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useChanges } from '../../changes/changes-context.ts'
import { useScope } from '../../../session/use-scope.ts'
import { useUnsaved } from '../../../ui/use-unsaved.ts'
import { digestsQuery } from '../queries.ts'
import { pastesOf } from './paste.ts'

interface PasteButtonProps {
  readonly project: Project
}

export function PasteButton({ project }: PasteButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        Paste .env
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title="Paste a .env file">
        <PasteForm project={project} onDone={close} />
      </FormDrawer>
    </>
  )
}

interface PasteFormProps {
  readonly project: Project
  readonly onDone: () => void
}

/** A text, and one button that shows what it would do to a stage. */
function PasteForm({ project, onDone }: PasteFormProps) {
  const stages = currentStages(project).map((stage) => ({ value: stage.stageSlug, label: stage.name }))
  const [stageSlug, setStageSlug] = useState(stages[0]?.value ?? '')
  const [text, setText] = useState('')
  const { add, review } = useChanges()
  const { data, error } = useQuery(digestsQuery(useScope(), { projectSlug: project.projectSlug, stageSlug }))
  const pastes = data ? pastesOf(text, stageSlug, data) : []
  useUnsaved(text !== '')
  const problem = typeof pastes === 'string' && pastes
  const changes = typeof pastes === 'string' ? [] : pastes
  const showChanges = (): void => {
    onDone()
    add(changes)
    review()
  }
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
        error={problem}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <ErrorNotice error={error} />
      <Text size="sm" c="dimmed">
        What else is in the stage stays, and so do declared types.
      </Text>
      <Button disabled={changes.length === 0} onClick={showChanges}>
        {changes.length === 1 ? 'Review 1 change' : `Review ${changes.length} changes`}
      </Button>
    </Stack>
  )
}
