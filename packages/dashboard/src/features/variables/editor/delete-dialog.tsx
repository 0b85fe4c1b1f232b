import { Button, Flex, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { BusyButton } from '../../../ui/buttons.tsx'
import type { PendingChange } from '../../../data/unsaved-changes/change-set.ts'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { type Proposing, useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { isIn, useSave } from '../../../data/variables/use-save.ts'
import type { VariableInStage } from '../../../data/variables/queries.ts'
import { labels } from './labels.ts'
import { SaveFailures } from './save-failures.tsx'
import { Dependents } from './template-sources.tsx'
import { StageChoice } from './variable-inputs.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import { labels as proposalLabels } from '../../../parts/proposing/labels.ts'

interface DeleteDialogProps extends DeleteQuestionProps {
  readonly opened: boolean
}

/** Asks from which stages to delete a variable. */
export function DeleteDialog({ opened, ...props }: DeleteDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={labels.deleteTitle(props.name)}
      // The dialog would also handle the Escape of the drawer below.
      closeOnEscape={false}
      onKeyDown={({ key }) => key === 'Escape' && props.onClose()}
    >
      <DeleteQuestion {...props} />
    </Modal>
  )
}

interface DeleteQuestionProps {
  readonly projectSlug: string
  readonly name: string
  readonly stages: readonly VariableInStage[]
  /** The slug of the stage that is chosen first. */
  readonly initial: string
  readonly onClose: () => void
  /** Runs after the variable is deleted or its deletion is added to the changes. */
  readonly onDone: () => void
}

function DeleteQuestion(props: DeleteQuestionProps) {
  const { projectSlug, initial, onClose } = props
  // The stages stay as they were when the dialog opened, because a later change by others is a conflict.
  const [stages] = useState(() => props.stages.filter(({ variable }) => variable))
  const [slugs, setSlugs] = useState<readonly string[]>([initial])
  const chosen = stages.filter(({ stage }) => slugs.includes(stage.stageSlug))
  const names = chosen.map(({ stage }) => stage.name)
  const { save, remove, collect } = useDeletion(props, stages, chosen)
  const chosenStages = chosen.map(({ stage }) => stage)
  const proposing = useProposing(projectSlug, chosenStages)
  return (
    <Stack>
      <Text>{labels.deleteText(names)}</Text>
      <Dependents
        projectSlug={projectSlug}
        name={props.name}
        stages={chosen.map(({ stage }) => stage)}
        text={labels.deletesSource}
      />
      {stages.length > 1 && (
        <StageChoice projectSlug={projectSlug} stages={stages} chosen={slugs} saved={save.saved} onChange={setSlugs} />
      )}
      {proposing.notice}
      {proposing.reasonField}
      <SaveFailures save={save} stages={stages} />
      <Flex justify="flex-end" gap="xs" direction={{ base: 'column-reverse', sm: 'row' }}>
        <Button variant="default" data-autofocus onClick={onClose}>
          {labels.cancel}
        </Button>
        <Button variant="default" disabled={chosen.length === 0} onClick={collect}>
          {labels.addDeletion}
        </Button>
        <BusyButton
          color="red"
          disabled={chosen.length === 0}
          isBusy={save.isPending}
          onClick={() => proposing.check() && remove(proposing)}
        >
          {proposing.label(chosenStages, labels.deleteFrom, proposalLabels.proposeDeletion)}
        </BusyButton>
      </Flex>
    </Stack>
  )
}

/** Returns how to delete a variable from the chosen stages: now, or with a save of many changes. */
function useDeletion(
  { projectSlug, name, onDone }: DeleteQuestionProps,
  stages: readonly VariableInStage[],
  chosen: readonly VariableInStage[],
) {
  const changes = useChanges()
  const save = useSave({
    textOf: (saved) =>
      labels.deletedFrom(
        name,
        stages.map(({ stage }) => stage).filter(({ stageSlug }) => isIn(saved, { projectSlug, stageSlug })),
      ),
    onSaved: (saved) => {
      const isDone = (change: PendingChange): boolean =>
        change.name === name && isIn(saved, { projectSlug, stageSlug: change.stageSlug })
      changes.remove(changes.pending.filter(isDone))
      onDone()
    },
  })
  const left = chosen.filter(({ stage: { stageSlug } }) => !isIn(save.done, { projectSlug, stageSlug }))
  const seen = ({ stage: { stageSlug }, revision }: VariableInStage): number =>
    save.seenNow({ projectSlug, stageSlug }, revision)
  return {
    save,
    remove: ({ reasonIn }: Proposing) => {
      save.mutate(
        left.map((each) => {
          const { stageSlug } = each.stage
          const place = { projectSlug, stageSlug }
          return { place, content: { deletes: [name] }, seen: seen(each), reason: reasonIn(stageSlug) }
        }),
      )
    },
    collect: () => {
      changes.add(
        left.map((each) => {
          const { stage, variable: before } = each
          return { stageSlug: stage.stageSlug, name, before, entry: undefined, seen: seen(each) }
        }),
      )
      onDone()
    },
  }
}
