import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { limits } from '@rollkey/contract/rules'
import { useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useScope } from '../../../session/scope.ts'
import { toggled } from '../../../lib/rank.ts'
import { BusyButton } from '../../../ui/buttons.tsx'
import { ErrorNotice, Notice } from '../../../ui/notice.tsx'
import { FormDrawer, FormFooter, useLeave, useUnsaved } from '../../../ui/form.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { toast } from '../../../ui/toast.tsx'
import { currentStages, type Project, projectsQuery, type Stage, useProjectWhere } from '../../projects/queries.ts'
import { digestsQuery, isOfStage, type Place } from '../queries.ts'
import type { Saved } from '../save.ts'
import { useUndo } from '../undo.ts'
import { copiesOf, type Copy, copyVariables, nextStage } from './copy.ts'
import classes from './copy-choices.module.css'
import { labels } from './labels.ts'

interface CopyDrawerProps extends Omit<CopyFormProps, 'onDone' | 'onCancel'> {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onCopied?: () => void
}

/** Copies variables to another stage: those that were selected before, or those that the person chooses here. */
export function CopyDrawer({ opened, onClose, onCopied, ...choice }: CopyDrawerProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={labels.title}>
      <CopyForm
        {...choice}
        onCancel={onClose}
        onDone={() => {
          onClose()
          onCopied?.()
        }}
      />
    </FormDrawer>
  )
}

interface CopyFormProps {
  readonly project: Project
  /** Slugs of the suggested stages. Absent: the first two. */
  readonly from?: string
  readonly to?: string
  /** Names of variables that are chosen at first. */
  readonly selected?: ReadonlySet<string>
  readonly onDone: () => void
  readonly onCancel: () => void
}

const noNames: ReadonlySet<string> = new Set()

/** Returns the first stage that can be copied to another one. */
function firstSource(sources: readonly Stage[], targets: readonly Stage[]): Stage | undefined {
  return sources.find((source) => targets.some((target) => target !== source))
}

/** Shows what one stage has and another lacks or has differently, and copies what the person chooses at once. */
function CopyForm({ project, selected = noNames, onDone, onCancel, ...suggested }: CopyFormProps) {
  const { projectSlug } = project
  const sources = currentStages(useProjectWhere(project, 'read'))
  const stages = currentStages(useProjectWhere(project, 'write'))
  const slugs = stages.map(({ stageSlug }) => stageSlug)
  const [from, setFrom] = useState(suggested.from ?? firstSource(sources, stages)?.stageSlug ?? '')
  const [chosenTo, setTo] = useState(suggested.to ?? '')
  const to = chosenTo === from || !slugs.includes(chosenTo) ? nextStage(slugs, from) : chosenTo
  const target = stages.find(({ stageSlug }) => stageSlug === to)
  const targetName = target?.name ?? to
  const undoOf = useUndo()
  const { copies, error, copy } = useCopy({ projectSlug, stageSlug: from }, { projectSlug, stageSlug: to }, (saved) => {
    toast.success(labels.copied(saved.names.length, targetName), undoOf([saved]))
    onDone()
  })
  const [names, setNames] = useState(selected)
  const chosen = copies?.filter(({ name }) => names.has(name)) ?? []
  const rest = [...selected].filter((each) => copies?.every(({ name }) => name !== each)).length
  useUnsaved(names !== selected && chosen.length > 0)
  const leave = useLeave()
  const isTooMuch = chosen.length > limits.entries
  return (
    <Stack>
      <StageSelects sources={sources} targets={stages} from={from} to={to} onFrom={setFrom} onTo={setTo} />
      {target?.isProduction && <Notice kind="warning">{labels.production(targetName)}</Notice>}
      {!copies && !error && <Loading />}
      {copies?.length === 0 && <Text>{labels.noDifferences(from, to)}</Text>}
      {copies && copies.length > 0 && <CopyChoices copies={copies} chosen={names} onChange={setNames} />}
      <ErrorNotice error={error} />
      <Text role="status">
        {isTooMuch ? labels.tooMany : effectOf(chosen, targetName)} {copies && rest > 0 && labels.rest(rest)}
      </Text>
      <FormFooter>
        <Button variant="default" onClick={() => leave(onCancel)}>
          {labels.cancel}
        </Button>
        <BusyButton
          disabled={chosen.length === 0 || isTooMuch}
          isBusy={copy.isPending}
          onClick={() => copy.mutate(chosen)}
        >
          {labels.copy(chosen.length, targetName)}
        </BusyButton>
      </FormFooter>
    </Stack>
  )
}

function effectOf(chosen: readonly Copy[], target: string): string {
  const created = chosen.filter(({ isNew }) => isNew).length
  return chosen.length === 0 ? labels.choose : labels.effect(created, chosen.length - created, target)
}

interface StageSelectsProps {
  readonly sources: readonly Stage[]
  readonly targets: readonly Stage[]
  /** Slugs of the stages. */
  readonly from: string
  readonly to: string
  readonly onFrom: (stageSlug: string) => void
  readonly onTo: (stageSlug: string) => void
}

function choicesOf(stages: readonly Stage[]) {
  return stages.map((stage) => ({ value: stage.stageSlug, label: stage.name }))
}

function StageSelects({ sources, targets, from, to, onFrom, onTo }: StageSelectsProps) {
  return (
    <Stack gap={4}>
      <Group grow>
        <NativeSelect
          label={labels.from}
          data={choicesOf(sources)}
          value={from}
          onChange={(event) => onFrom(event.currentTarget.value)}
          data-autofocus
        />
        <NativeSelect
          label={labels.to}
          data={choicesOf(targets).filter(({ value }) => value !== from)}
          value={to}
          onChange={(event) => onTo(event.currentTarget.value)}
        />
      </Group>
    </Stack>
  )
}

/**
 * Returns what can be copied between two stages, and the mutation that copies some of it. Calls `onCopied` when the table
 * shows it.
 */
function useCopy(from: Place, to: Place, onCopied: (saved: Saved) => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const source = useQuery(digestsQuery(scope, from))
  const target = useQuery(digestsQuery(scope, to))
  const copies = source.data && target.data && copiesOf(source.data.variables, target.data.variables)
  const copy = useMutation({
    mutationFn: async (chosen: readonly Copy[]) => {
      if (!source.data || !target.data) throw new Error('The stages are not read yet.')
      const names = chosen.map(({ name }) => name)
      return copyVariables(scope, { place: from, contents: source.data }, { place: to, contents: target.data }, names)
    },
    onSuccess: onCopied,
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await Promise.all(
        [from, to].map((place) => queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })),
      )
    },
  })
  return { copies, error: source.error ?? target.error ?? copy.error, copy }
}

interface CopyChoicesProps {
  readonly copies: readonly Copy[]
  /** Names of variables. */
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Lists plain checkboxes, because there may be thousands. */
function CopyChoices({ copies, chosen, onChange }: CopyChoicesProps) {
  const areAllChosen = copies.every(({ name }) => chosen.has(name))
  const toggleAll = (): void => onChange(new Set(areAllChosen ? [] : copies.map(({ name }) => name)))
  return (
    <fieldset className={classes['choices']}>
      <legend>{labels.differences}</legend>
      <label className={classes['choice']}>
        <input type="checkbox" checked={areAllChosen} onChange={toggleAll} />
        {labels.all(copies.length)}
      </label>
      {copies.map(({ name, isNew }) => (
        <label key={name} className={classes['choice']}>
          <input type="checkbox" checked={chosen.has(name)} onChange={() => onChange(toggled(chosen, name))} />
          <bdi className={`mono ${classes['name']}`}>{name}</bdi>
          <span className={classes['effect']}>{isNew ? labels.new : labels.replaced}</span>
        </label>
      ))}
    </fieldset>
  )
}
