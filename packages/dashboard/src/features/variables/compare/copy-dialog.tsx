import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { limits } from '@rollkey/contract/rules'
import { useState } from 'react'
import { BusyButton } from '../../../ui/buttons.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { toast } from '../../../ui/toast.tsx'
import { useScope } from '../../../session/scope.ts'
import { currentStages, type Project, projectsQuery } from '../../projects/queries.ts'
import { copiesOf, type Copy, copyVariables } from '../copy/copy.ts'
import { labels as copyLabels } from '../copy/labels.ts'
import { digestsQuery, isOfStage, type Place } from '../queries.ts'
import { useUndo } from '../undo.ts'
import { labels } from './labels.ts'
import { Modal } from '../../../ui/dialog.tsx'

interface CopyDialogProps {
  readonly project: Project
  /** Names of variables. */
  readonly names: ReadonlySet<string>
  /** Slugs of the suggested stages. */
  readonly from: string
  readonly to: string
  readonly opened: boolean
  readonly onClose: () => void
  readonly onCopied: () => void
}

/** Copies chosen variables from one stage to another, after a preview. */
export function CopyDialog({ opened, onClose, onCopied, ...choice }: CopyDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={labels.copyTitle}>
      <CopyForm
        {...choice}
        onDone={() => {
          onClose()
          onCopied()
        }}
      />
    </Modal>
  )
}

interface CopyFormProps extends Pick<CopyDialogProps, 'project' | 'names' | 'from' | 'to'> {
  readonly onDone: () => void
}

function CopyForm({ project, names, onDone, ...initial }: CopyFormProps) {
  const [from, setFrom] = useState(initial.from)
  const [to, setTo] = useState(initial.to)
  const stages = currentStages(project)
  const options = stages.map(({ stageSlug, name }) => ({ value: stageSlug, label: name }))
  const target = stages.find(({ stageSlug }) => stageSlug === to)
  const { copies, error, copy } = useCopy(project, from, to, names, onDone)
  const isTooMuch = copies !== undefined && copies.length > limits.entries
  return (
    <Stack>
      <Group grow>
        <NativeSelect
          label={labels.from}
          data={options}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <NativeSelect
          label={labels.to}
          data={options}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
      </Group>
      <Text role="status">
        {from === to
          ? labels.sameStage
          : copies && (isTooMuch ? copyLabels.tooMany : effectText(copies, names.size, target?.name ?? to))}
      </Text>
      {target?.isProduction === true && <Text>{copyLabels.production(target.name)}</Text>}
      <ErrorNotice error={error} />
      <Group justify="flex-end">
        <BusyButton
          disabled={from === to || !copies || copies.length === 0 || isTooMuch}
          isBusy={copy.isPending}
          onClick={() => copy.mutate()}
        >
          {copyLabels.copy(copies?.length ?? 0, target?.name ?? to)}
        </BusyButton>
      </Group>
    </Stack>
  )
}

/** Describes what a copy does with the chosen variables. */
function effectText(copies: readonly Copy[], chosen: number, stageName: string): string {
  if (copies.length === 0) return labels.nothing
  const created = copies.filter(({ isNew }) => isNew).length
  const effect = copyLabels.effect(created, copies.length - created, stageName)
  return [effect, ...(chosen > copies.length ? [labels.rest(chosen - copies.length)] : [])].join(' ')
}

/** Returns which of the chosen variables can be copied, and the mutation that copies them. */
function useCopy(project: Project, from: string, to: string, names: ReadonlySet<string>, onDone: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const undo = useUndo()
  const { projectSlug } = project
  const places = [from, to].map((stageSlug) => ({ projectSlug, stageSlug })) as [Place, Place]
  const source = useQuery(digestsQuery(scope, places[0]))
  const target = useQuery(digestsQuery(scope, places[1]))
  const copies =
    source.data &&
    target.data &&
    copiesOf(source.data.variables, target.data.variables).filter(({ name }) => names.has(name))
  const copy = useMutation({
    mutationFn: async () => {
      if (!source.data || !target.data || !copies) return
      const copied = copies.map(({ name }) => name)
      const saved = await copyVariables(
        scope,
        { place: places[0], contents: source.data },
        { place: places[1], contents: target.data },
        copied,
      )
      toast.success(copyLabels.copied(copied.length, to), undo([saved]))
    },
    onSuccess: onDone,
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await Promise.all(places.map((place) => queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })))
    },
  })
  return { copies, error: source.error ?? target.error ?? copy.error, copy }
}
