import type { Project, Stage, StageSlugs } from '@rollkey/sdk/core'
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import type { WriteEntry } from '@rollkey/contract'
import { limits } from '@rollkey/contract/rules'
import { useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useScope } from '../../../session/scope.ts'
import { toggled } from '../../../lib/rank.ts'
import { BusyButton } from '../../../ui/buttons.tsx'
import { mixed } from '../../../ui/mixed.ts'
import { ErrorNotice, Notice } from '../../../ui/notice.tsx'
import { focusOn } from '../../../ui/focus.ts'
import { FormDrawer, FormFooter, useLeave, useUnsaved } from '../../../ui/form.tsx'
import { RowsSkeleton } from '../../../ui/loading.tsx'
import { useWaitingProposals } from '../../../data/proposals/queries.ts'
import { useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { ProductionNotice } from '../../../parts/projects/production-notice.tsx'
import { cellFocus } from '../../../data/projects/commands.ts'
import { currentStages, useProjectWhere } from '../../../data/projects/queries.ts'
import { rowsOf, type StageContents } from '../../../data/variables/comparison.ts'
import { usePlainValues } from '../plain-values.ts'
import { digestsQuery } from '../../../data/variables/queries.ts'
import type { Outcome } from '../../../data/variables/use-stage-write.ts'
import { copiesOf, type Copy, type Kept, keptOf, nextStage } from './copies.ts'
import classes from './copy-choices.module.css'
import { useCopyVariables } from './copy-variables.ts'
import { labels } from './labels.ts'
import type { Promotion } from './promotions.ts'
import { labels as proposalLabels } from '../../../parts/proposing/labels.ts'

interface CopyDrawerProps extends Omit<CopyFormProps, 'onDone' | 'onCancel'> {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onCopied?: () => void
}

/**
 * Copies variables to another stage: those that were selected before, or those that the person chooses here. A promotion
 * begins with what the target lacks: what differs may do so on purpose.
 */
export function CopyDrawer({ opened, onClose, onCopied, ...choice }: CopyDrawerProps) {
  const { promotion } = choice
  const title = promotion ? labels.promote(promotion.from.name, promotion.to.name) : labels.title
  return (
    <FormDrawer opened={opened} onClose={onClose} title={title}>
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

/** How many variables a sentence names. */
const maxNamed = 4

interface CopyFormProps {
  readonly project: Project
  /** Slugs of the suggested stages. Absent: the first two. */
  readonly from?: string
  readonly to?: string
  /** The stages, if one is promoted to the other. Absent: the person chooses them. */
  readonly promotion?: Promotion | undefined
  /** Names of variables that are chosen at first. Absent: none, or what the target of a promotion lacks. */
  readonly selected?: ReadonlySet<string>
  readonly onDone: () => void
  readonly onCancel: () => void
}

const noNames: ReadonlySet<string> = new Set()

/** Returns the first stage that can be copied to another one. */
function firstSource(sources: readonly Stage[], targets: readonly Stage[]): Stage | undefined {
  return sources.find((source) => targets.some((target) => target !== source))
}

/** Returns the two stages, which the person may change. */
function useStageChoice(project: Project, suggested: Pick<CopyFormProps, 'from' | 'to'>) {
  const sources = currentStages(useProjectWhere(project, 'read'))
  const stages = currentStages(useProjectWhere(project, 'write'))
  const slugs = stages.map(({ stageSlug }) => stageSlug)
  const [from, setFrom] = useState(suggested.from ?? firstSource(sources, stages)?.stageSlug ?? '')
  const [chosenTo, setTo] = useState(suggested.to ?? '')
  const to = chosenTo === from || !slugs.includes(chosenTo) ? nextStage(slugs, from) : chosenTo
  const target = stages.find(({ stageSlug }) => stageSlug === to)
  return { sources, stages, from, setFrom, to, setTo, target, targetName: target?.name ?? to }
}

/** Shows what one stage has and another lacks or has differently, and copies what the person chooses at once. */
function CopyForm({ project, promotion, selected = noNames, onDone, onCancel, ...choice }: CopyFormProps) {
  const { projectSlug } = project
  const suggested = promotion ? { from: promotion.from.stageSlug, to: promotion.to.stageSlug } : choice
  const { sources, stages, from, setFrom, to, setTo, target, targetName } = useStageChoice(project, suggested)
  const { copies, kept, error, copy } = useCopy(project, { from, to }, ({ saved: [saved] }) => {
    onDone()
    if (saved) focusOn(cellFocus(to, saved.names[0] ?? ''))
    return (promotion ? labels.promoted : labels.copied)(saved?.names ?? [], targetName)
  })
  const [picked, setPicked] = useState<ReadonlySet<string>>()
  const proposed: ProposedNames = useWaitingProposals(projectSlug).get(to) ?? noNames
  const names = picked ?? usualNames(promotion ? newNames(copies) : [...selected], proposed)
  const chosen = copies?.filter(({ name }) => names.has(name)) ?? []
  useUnsaved(picked !== undefined && chosen.length > 0)
  const isTooMuch = chosen.length > limits.entries
  const proposing = useProposing(projectSlug, target ? [target] : [])
  const reason = proposing.reasonIn(to)
  const canCopy = chosen.length > 0 && !isTooMuch
  const saveLabel = promotion ? labels.promoteButton : labels.copy
  const buttonLabel = reason === undefined ? saveLabel : proposalLabels.proposeCopy
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!canCopy || copy.isPending || !proposing.check()) return
        copy.mutate({ names: chosen.map(({ name }) => name), reason })
      }}
    >
      {!promotion && (
        <StageSelects sources={sources} targets={stages} from={from} to={to} onFrom={setFrom} onTo={setTo} />
      )}
      {proposing.notice}
      {target?.isProduction && reason === undefined && <ProductionNotice stage={targetName} />}
      {!copies && !error && <RowsSkeleton />}
      {copies && kept && (
        <Differences
          {...{ copies, kept, proposed, from, to, targetName, promotion }}
          chosen={names}
          onChange={setPicked}
        />
      )}
      <ErrorNotice error={error} />
      {proposing.reasonField}
      {copies && <Outcome selected={selected} chosen={chosen} targetName={targetName} />}
      <CopyButtons
        label={buttonLabel(chosen.length, targetName)}
        isDisabled={!canCopy}
        isBusy={copy.isPending}
        onCancel={onCancel}
      />
    </Stack>
  )
}

interface OutcomeProps {
  /** Names of the variables for which the form was opened. */
  readonly selected: ReadonlySet<string>
  readonly chosen: readonly Copy[]
  readonly targetName: string
}

/** Says what the copy does, and which of the selected variables it leaves. */
function Outcome({ selected, chosen, targetName }: OutcomeProps) {
  const copied = new Set(chosen.map(({ name }) => name))
  const rest = [...selected].filter((name) => !copied.has(name))
  return (
    <>
      <Text role="status">
        {chosen.length > limits.entries ? labels.tooMany : effectOf(chosen, targetName)}{' '}
        {rest.length > 0 && rest.length <= maxNamed && labels.rest(rest)}
      </Text>
      {rest.length > maxNamed && <Names title={labels.restCount(rest.length)} names={rest} />}
    </>
  )
}

interface CopyButtonsProps {
  /** Text of the button that copies. */
  readonly label: string
  readonly isDisabled: boolean
  readonly isBusy: boolean
  readonly onCancel: () => void
}

function CopyButtons({ label, isDisabled, isBusy, onCancel }: CopyButtonsProps) {
  const leave = useLeave()
  return (
    <FormFooter>
      <Button variant="default" onClick={() => leave(onCancel)}>
        {labels.cancel}
      </Button>
      <BusyButton type="submit" disabled={isDisabled} isBusy={isBusy}>
        {label}
      </BusyButton>
    </FormFooter>
  )
}

interface DifferencesProps extends CopyChoicesProps {
  readonly promotion: Promotion | undefined
  readonly kept: Kept
  /** Slugs of the stages, and the name of the second one. */
  readonly from: string
  readonly to: string
  readonly targetName: string
}

function Differences({ promotion, kept, from, to, targetName, ...choices }: DifferencesProps) {
  const { same, extra } = kept
  const waiting = choices.copies.filter(({ name }) => choices.proposed.has(name)).length
  return (
    <>
      {waiting > 0 && <Notice kind="info">{labels.waiting(waiting, targetName)}</Notice>}
      {choices.copies.length === 0 ? <Text>{labels.noDifferences(from, to)}</Text> : <CopyChoices {...choices} />}
      {promotion ? (
        <>
          {extra.length > 0 && <Names title={labels.onlyIn(extra.length, targetName)} names={extra} />}
          {same.length > 0 && <Names title={labels.equal(same.length)} names={same} />}
        </>
      ) : (
        same.length > 0 &&
        choices.copies.length > 0 && (
          <Text size="sm" c="dimmed">
            {labels.same(same.length, targetName)}
          </Text>
        )
      )}
    </>
  )
}

interface NamesProps {
  readonly title: string
  readonly names: readonly string[]
}

/** Lists variables that stay as they are, for those who open it. */
function Names({ title, names }: NamesProps) {
  return (
    <details>
      <summary>{title}</summary>
      <ul className="plain-list">
        {names.map((name) => (
          <li key={name}>
            <bdi className="mono wrapping">{name}</bdi>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Names of variables that open changes propose. */
interface ProposedNames {
  has(name: string): boolean
}

/** Returns the names of what the target lacks. */
function newNames(copies: readonly Copy[] = []): readonly string[] {
  return copies.filter(({ isNew }) => isNew).map(({ name }) => name)
}

/** Returns what a copy begins with: what no change proposes, as much of it as one copy can have. */
function usualNames(names: readonly string[], proposed: ProposedNames): ReadonlySet<string> {
  return new Set(names.filter((name) => !proposed.has(name)).slice(0, limits.entries))
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

interface CopiedStages {
  /** Slugs of the stages. */
  readonly from: string
  readonly to: string
}

/** Returns what can be copied between two stages, and the mutation that copies some of it. `onCopied` returns what to say. */
function useCopy(project: Project, stages: CopiedStages, onCopied: (outcome: Outcome) => string) {
  const { projectSlug } = project
  const from: StageSlugs = { projectSlug, stageSlug: stages.from }
  const to: StageSlugs = { projectSlug, stageSlug: stages.to }
  const scope = useScope()
  const source = useQuery(digestsQuery(scope, from))
  const target = useQuery(digestsQuery(scope, to))
  const sides = [
    { slug: stages.from, contents: source.data },
    { slug: stages.to, contents: target.data },
  ] as const
  const copies = useCopies(project, sides)
  const kept = source.data && target.data ? keptOf(source.data.variables, target.data.variables) : undefined
  const copy = useCopyVariables({ place: from, contents: source.data }, { place: to, contents: target.data }, onCopied)
  return { copies, kept, error: source.error ?? target.error ?? copy.error, copy }
}

interface ReadStage {
  readonly slug: string
  /** Undefined until they are read. */
  readonly contents: StageContents | undefined
}

const noValues: ReadonlyMap<string, WriteEntry> = new Map()

/** Returns what can be copied, with the plain values before and after; undefined until both stages are read. */
function useCopies(
  { projectSlug, stages }: Project,
  [from, to]: readonly [ReadStage, ReadStage],
): readonly Copy[] | undefined {
  const sides = useMemo(
    () => [from.slug, to.slug].flatMap((slug) => stages.find(({ stageSlug }) => stageSlug === slug) ?? []),
    [stages, from.slug, to.slug],
  )
  const [source, target] = [from.contents?.variables, to.contents?.variables]
  const rows = useMemo(() => (source && target ? rowsOf([source, target]) : []), [source, target])
  const [plainSource, plainTarget] = usePlainValues(projectSlug, sides, rows)
  return useMemo(
    () =>
      source &&
      target &&
      copiesOf(
        { variables: source, plain: plainSource?.values ?? noValues },
        { variables: target, plain: plainTarget?.values ?? noValues },
      ),
    [source, target, plainSource, plainTarget],
  )
}

interface CopyChoicesProps {
  readonly copies: readonly Copy[]
  /** Those that wait in a change of the target. */
  readonly proposed: ProposedNames
  /** Names of variables. */
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Lists plain checkboxes, because there may be thousands. */
function CopyChoices({ copies, proposed, chosen, onChange }: CopyChoicesProps) {
  const free = copies.filter(({ name }) => !proposed.has(name))
  // As many as one copy can have; another one continues with the rest.
  const first = free.slice(0, limits.entries)
  const areAllChosen = first.every(({ name }) => chosen.has(name))
  const toggleAll = (): void => onChange(new Set(areAllChosen ? [] : first.map(({ name }) => name)))
  return (
    <fieldset className={classes['choices']}>
      <legend>{labels.differences}</legend>
      {free.length > 0 && (
        <label className={classes['choice']}>
          <input
            ref={mixed(!areAllChosen && first.some(({ name }) => chosen.has(name)))}
            type="checkbox"
            checked={areAllChosen}
            onChange={toggleAll}
          />
          {first.length < free.length
            ? labels.first(first.length, free.length)
            : labels.all(free.length, free.length < copies.length)}
        </label>
      )}
      {copies.map(({ name, isNew, facts }) => (
        <label key={name} className={classes['choice']}>
          <input type="checkbox" checked={chosen.has(name)} onChange={() => onChange(toggled(chosen, name))} />
          <span className={classes['variable']}>
            <bdi className="mono">{name}</bdi>
            <span className={classes['facts']}>{facts.join(labels.separator)}</span>
          </span>
          <span className={classes['effect']} data-proposed={proposed.has(name) || undefined}>
            {proposed.has(name) ? labels.proposed : isNew ? labels.new : labels.different}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
