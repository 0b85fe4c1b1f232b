import type { Project, Stage } from '@rollkey/sdk/core'
import { countText } from '../../../lib/numbers.ts'
import { ActionIcon, Button, NativeSelect, Group as Row, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { limits, valuesOf } from '@rollkey/contract/rules'
import type { Digested, RevealedEntry } from '@rollkey/contract'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { mixed } from '../../../ui/mixed.ts'
import { BusyButton } from '../../../ui/buttons.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { useCommands } from '../../../ui/commands.ts'
import { IconCompare, IconDone, IconSwitch } from '../../../ui/icons.ts'
import { KindIcon, StatusBadge, StatusDot } from '../../../ui/status.tsx'
import { LoadError, RowsSkeleton } from '../../../ui/loading.tsx'
import { focusOn } from '../../../ui/focus.ts'
import { Page } from '../../../ui/page.tsx'
import { SplitBar } from '../../../ui/split-bar.tsx'
import { toast } from '../../../ui/toast.tsx'
import { useIsPhone } from '../../../ui/use-is-phone.ts'
import { toggled } from '../../../lib/rank.ts'
import { useMay } from '../../../session/permissions.ts'
import { useScope } from '../../../session/scope.ts'
import { currentStages } from '../../../data/projects/queries.ts'
import { ProtectedMark } from '../../../parts/projects/protected-mark.tsx'
import { WithProject } from '../../../parts/projects/with-project.tsx'
import { useWaitingProposals, type WaitingProposals } from '../../../data/proposals/queries.ts'
import { useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { Side as RollSide } from '../../../parts/rolls/sides.tsx'
import { differences, fillingOf, needsVariable } from '../../../data/variables/comparison.ts'
import { digestsQuery, plainQuery } from '../../../data/variables/queries.ts'
import { isExposed, seenKindOf, splitText } from '../../../data/variables/labels.ts'
import { compared, copiedGroups, type Compared, type Group, groups, nextToCopy, usualNames } from './compared.ts'
import { type PreviewedStage, useCopyVariables } from '../copy/copy-variables.ts'
import { labels as copyLabels } from '../copy/labels.ts'
import { labels } from './labels.ts'
import { useCompareKeys } from './use-compare-keys.ts'
import classes from './compare-page.module.css'
import { labels as proposalLabels } from '../../../parts/proposing/labels.ts'
import { freshOf, useRevealed } from '../use-revealed.ts'

export function ComparePage() {
  return (
    <WithProject>
      {(project) => {
        const [first, second] = currentStages(project)
        if (first && second) return <Comparison project={project} first={first} second={second} />
        return (
          <Page title={labels.title} width="full">
            <EmptyState icon={IconCompare} title={labels.oneStage}>
              {labels.oneStageText}
            </EmptyState>
          </Page>
        )
      }}
    </WithProject>
  )
}

interface ComparisonProps {
  readonly project: Project
  /** The first stage by default. */
  readonly first: Stage
  readonly second: Stage
}

function Comparison({ project, first, second }: ComparisonProps) {
  const { from, to, choose } = useChosen(project, first, second)
  const { source, target, byGroup, error } = useCompared(project.projectSlug, from, to)
  const may = useMay()
  const unread = [from, to].filter(({ stageSlug }) => !may('read', { projectSlug: project.projectSlug, stageSlug }))
  const mayCopy = project.archivedAtMs === undefined && may('read', source.place) && may('write', target.place)
  const isProposed = useIsProposed(project.projectSlug, to)
  const { selected, setSelected } = useSelected(isProposed, mayCopy ? byGroup : undefined)
  const clear = (): void => setSelected(noNames)
  /** The button that copies has nothing to copy then, and would lose the focus. */
  const goOn = (): void => {
    const next = byGroup && nextToCopy(byGroup, selected, isProposed)
    clear()
    if (next !== undefined) focusOn(next)
  }
  const show = (stages: { readonly from: string; readonly to: string }): void => {
    // What the page began with holds for the other stages too.
    setSelected(undefined)
    choose(stages)
  }
  const hasCopies = !byGroup || nextToCopy(byGroup, noNames, isProposed) !== undefined
  return (
    <Page title={labels.title} width="full" lead={mayCopy && hasCopies && labels.lead(to.name, to.isProduction)}>
      <div className={classes['top']}>
        <Row align="flex-end" justify="space-between" gap="xs">
          <StageChoice project={project} from={from} to={to} onChoose={show} />
          {mayCopy && <CopySelected {...{ project, source, target, from, to, selected }} onCopied={goOn} />}
        </Row>
        <Head from={from} to={to} />
      </div>
      {unread.length > 0 && <Text c="dimmed">{labels.notCompared(unread.map(({ name }) => name))}</Text>}
      <LoadError error={error} />
      {!byGroup && !error && <RowsSkeleton rows={12} />}
      {byGroup && (
        <Groups
          // Revealed values belong to these stages.
          key={`${from.stageSlug}/${to.stageSlug}`}
          projectSlug={project.projectSlug}
          from={from}
          to={to}
          byGroup={byGroup}
          selected={selected}
          onSelect={mayCopy ? setSelected : undefined}
        />
      )}
    </Page>
  )
}

const noNames: ReadonlySet<string> = new Set()

type IsProposed = (name: string) => boolean

/** Returns whether an open change of a stage has a name. It is not copied, because that change already waits. */
function useIsProposed(projectSlug: string, { stageSlug }: Stage): IsProposed {
  const waiting = useWaitingProposals(projectSlug).get(stageSlug)
  return useCallback((name) => waiting?.has(name) === true, [waiting])
}

/** Returns the selected names, without what an open change proposes: at first those that the link asks for. */
function useSelected(isProposed: IsProposed, byGroup: ReturnType<typeof useCompared>['byGroup']) {
  const [picked, setSelected] = useState<ReadonlySet<string>>()
  const copied = useLocation({ select: ({ state }) => state.copied })
  const initial = useMemo(
    () => (byGroup && copied ? usualNames(byGroup, copied, isProposed) : noNames),
    [byGroup, copied, isProposed],
  )
  const selected = useMemo(
    () => new Set([...(picked ?? initial)].filter((name) => !isProposed(name))),
    [picked, initial, isProposed],
  )
  return { selected, setSelected }
}

interface CopySelectedProps {
  readonly project: Project
  readonly source: PreviewedStage
  readonly target: PreviewedStage
  readonly from: Stage
  readonly to: Stage
  /** Names. */
  readonly selected: ReadonlySet<string>
  readonly onCopied: () => void
}

/** Copies what is selected. The page is the question; only a stage that takes proposals asks why. */
function CopySelected({ project, source, target, from, to, selected, onCopied }: CopySelectedProps) {
  const [isAsking, setAsking] = useState(false)
  const isPhone = useIsPhone()
  const button = useRef<HTMLButtonElement>(null)
  const copy = useCopyVariables(source, target, ({ saved }) => {
    onCopied()
    return copyLabels.copied(saved[0]?.names ?? [], to.name)
  })
  const proposing = useProposing(project.projectSlug, [to])
  const reason = proposing.reasonIn(to.stageSlug)
  const isTooMuch = selected.size > limits.entries
  const label = (reason === undefined ? copyLabels.copy : proposalLabels.proposeCopy)(selected.size, to.name)
  const chosen = source.contents?.variables.filter(({ name }) => selected.has(name)) ?? []
  const names = chosen.map(({ name }) => name)
  const sharing = <SharedSecrets copied={chosen} from={from} to={to} />
  const start = (): void =>
    reason === undefined ? copy.mutate({ names }, { onError: (error) => toast.error(error) }) : setAsking(true)
  const isDisabled = selected.size === 0 || isTooMuch
  // The button names the stage, so the key only leads to it.
  const goToButton = { label: labels.keys.copy, keys: 'c', isKeyOnly: true, run: () => button.current?.focus() }
  useCommands(isDisabled ? [] : [goToButton])
  return (
    <>
      {isTooMuch && (
        <Text size="sm" c="var(--danger-text)">
          {copyLabels.tooMany}
        </Text>
      )}
      {sharing}
      {(selected.size > 0 || !isPhone) && (
        <BusyButton
          ref={button}
          className={classes['copy'] ?? ''}
          disabled={isDisabled}
          isBusy={copy.isPending}
          onClick={start}
        >
          {label}
        </BusyButton>
      )}
      <ConfirmDialog
        title={labels.proposeTitle(from.name, to.name)}
        label={label}
        check={proposing.check}
        isDangerous={false}
        mutation={{ ...copy, mutate: () => copy.mutate({ names, reason }, { onSuccess: () => setAsking(false) }) }}
        opened={isAsking}
        onClose={() => setAsking(false)}
      >
        <Stack gap="xs">
          <NameList names={names} />
          {sharing}
          {proposing.notice}
          {proposing.reasonField}
        </Stack>
      </ConfirmDialog>
    </>
  )
}

interface NameListProps {
  readonly names: readonly string[]
}

/** Lists what is proposed. */
function NameList({ names }: NameListProps) {
  return (
    <Stack
      component="ul"
      className={`plain-list wrapping ${classes['names']}`}
      gap={4}
      // It scrolls where it is long.
      tabIndex={0}
      aria-label={labels.proposedNames}
    >
      {names.map((name) => (
        <li key={name}>
          <bdi className="mono">{name}</bdi>
        </li>
      ))}
    </Stack>
  )
}

interface SharedSecretsProps {
  readonly copied: readonly Digested[]
  readonly from: Stage
  readonly to: Stage
}

/** Says that production gets secrets which readers of another stage know; nothing if it does not. */
function SharedSecrets({ copied, from, to }: SharedSecretsProps) {
  const { length } = copied.filter((each) => !isExposed(each))
  if (!to.isProduction || length === 0) return null
  return <Text size="sm">{copyLabels.sharesSecrets(length, from.name, to.name)}</Text>
}

/** Returns the two stages of the address. */
function useChosen(project: Project, first: Stage, second: Stage) {
  const search = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/compare' })
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/compare' })
  const stages = currentStages(project)
  const stage = (slug: string | undefined): Stage | undefined => stages.find(({ stageSlug }) => stageSlug === slug)
  const from = stage(search.from) ?? first
  const to = stage(search.to) ?? (from === second ? first : second)
  const choose = (chosen: { readonly from: string; readonly to: string }): void =>
    void navigate({ search: chosen, replace: true, resetScroll: false })
  return { from, to, choose }
}

/** Returns both stages, and what they have by how it compares. */
function useCompared(projectSlug: string, from: Stage, to: Stage) {
  const scope = useScope()
  const places = {
    source: { projectSlug, stageSlug: from.stageSlug },
    target: { projectSlug, stageSlug: to.stageSlug },
  }
  const source = useQuery(digestsQuery(scope, places.source))
  const target = useQuery(digestsQuery(scope, places.target))
  const byGroup = useMemo(
    () => source.data && target.data && compared(source.data.variables, target.data.variables),
    [source.data, target.data],
  )
  return {
    source: { place: places.source, contents: source.data },
    target: { place: places.target, contents: target.data },
    byGroup,
    error: source.error ?? target.error,
  }
}

interface StageChoiceProps {
  readonly project: Project
  readonly from: Stage
  readonly to: Stage
  readonly onChoose: (stages: { readonly from: string; readonly to: string }) => void
}

function StageChoice({ project, from, to, onChoose }: StageChoiceProps) {
  const options = currentStages(project).map(({ stageSlug, name }) => ({ value: stageSlug, label: name }))
  const others = (slug: string) => options.filter(({ value }) => value !== slug)
  const swap = (): void => onChoose({ from: to.stageSlug, to: from.stageSlug })
  useCommands([{ label: labels.swap, keys: 'w', icon: IconSwitch, run: swap }])
  return (
    <Row align="flex-end" gap="xs">
      <NativeSelect
        label={labels.from}
        data={others(to.stageSlug)}
        value={from.stageSlug}
        onChange={(event) => onChoose({ from: event.currentTarget.value, to: to.stageSlug })}
      />
      <ActionIcon variant="default" size="var(--control-height)" aria-label={labels.swap} onClick={swap}>
        <IconSwitch />
      </ActionIcon>
      <NativeSelect
        label={labels.to}
        data={others(from.stageSlug)}
        value={to.stageSlug}
        onChange={(event) => onChoose({ from: from.stageSlug, to: event.currentTarget.value })}
      />
    </Row>
  )
}

interface HeadProps {
  readonly from: Stage
  readonly to: Stage
}

function Head({ from, to }: HeadProps) {
  return (
    <div className={classes['head']} aria-hidden>
      <span>{labels.variable}</span>
      {[from, to].map(({ stageSlug, name, isProduction, isProtected }) => (
        <span key={stageSlug} className={classes['stage']}>
          {name} <ProtectedMark isProtected={isProtected} />{' '}
          {isProduction && <StatusDot status="production">{labels.production}</StatusDot>}
        </span>
      ))}
    </div>
  )
}

interface GroupsProps {
  readonly projectSlug: string
  readonly from: Stage
  readonly to: Stage
  readonly byGroup: ReadonlyMap<Group, readonly Compared[]>
  /** Names. */
  readonly selected: ReadonlySet<string>
  /** Undefined: the viewer may not copy. */
  readonly onSelect: ((selected: ReadonlySet<string>) => void) | undefined
}

/** Returns the values of a stage that people see without a reveal, by name. */
function usePlain(projectSlug: string, { stageSlug }: Stage, isNeeded: boolean): ReadonlyMap<string, RevealedEntry> {
  const place = { projectSlug, stageSlug }
  const mayRead = useMay()('read', place)
  const { data } = useQuery({ ...plainQuery(useScope(), place), enabled: isNeeded && mayRead })
  return useMemo(() => new Map(data?.map((entry) => [entry.name, entry])), [data])
}

function Groups({ projectSlug, from, to, byGroup, selected, onSelect }: GroupsProps) {
  const revealing = useRevealed(projectSlug)
  const waiting = useWaitingProposals(projectSlug)
  const may = useMay()
  const all = useMemo(() => [...byGroup.values()].flat(), [byGroup])
  const hasPlain = (side: 'from' | 'to'): boolean => all.some((pair) => isExposed(pair[side] ?? {}))
  const plain = [usePlain(projectSlug, from, hasPlain('from')), usePlain(projectSlug, to, hasPlain('to'))]
  const mayRead = ({ stageSlug }: Stage): boolean => may('read', { projectSlug, stageSlug })
  const list = useCompareKeys({ maySelect: onSelect !== undefined, mayReveal: mayRead(from) || mayRead(to) })
  const isProposed = useIsProposed(projectSlug, to)
  const needAll = [
    needsVariable(from, fillingOf(all.filter((pair) => pair.from).length, all.length)),
    needsVariable(to, fillingOf(all.filter((pair) => pair.to).length, all.length)),
  ]
  const hasDifferences = groups.some((group) => group !== 'same' && byGroup.has(group))
  return (
    <div ref={list} className={classes['groups']}>
      {!hasDifferences && (
        <EmptyState icon={IconDone} title={(byGroup.has('same') ? labels.allSame : labels.none)(from.name, to.name)} />
      )}
      {groups.map((group) => {
        const pairs = byGroup.get(group)
        if (!pairs) return null
        const select = copiedGroups.includes(group) ? onSelect : undefined
        return (
          <ComparedGroup
            key={group}
            group={group}
            title={labels.groups[group](from.name, to.name)}
            {...{ pairs, selected }}
            isProposed={isProposed}
            onSelect={select}
          >
            {pairs.map((pair) => (
              <ComparedItem
                key={pair.name}
                pair={pair}
                from={from}
                to={to}
                isSelected={selected.has(pair.name)}
                onSelect={isProposed(pair.name) ? undefined : select && (() => select(toggled(selected, pair.name)))}
                needAll={needAll}
                plain={plain.map((values) => values.get(pair.name))}
                revealing={revealing}
                mayRead={mayRead}
                waiting={waiting}
              />
            ))}
          </ComparedGroup>
        )
      })}
    </div>
  )
}

interface ComparedGroupProps extends Pick<GroupsProps, 'selected' | 'onSelect'> {
  readonly group: Group
  readonly title: string
  readonly pairs: readonly Compared[]
  /** Whether an open change of the second stage has a variable, which is then not selected. */
  readonly isProposed: IsProposed
  /** An item for each pair. */
  readonly children: ReactNode
}

/** Shows a group that opens and closes, with a checkbox for all of it if a copy changes it. */
function ComparedGroup(props: ComparedGroupProps) {
  const { group, title, pairs, isProposed, selected, onSelect, children } = props
  const names = pairs.map(({ name }) => name).filter((name) => !isProposed(name))
  const areAllSelected = names.every((name) => selected.has(name))
  const others = [...selected].filter((each) => !names.includes(each))
  return (
    <div className={classes['group']}>
      {onSelect && names.length > 0 && (
        <label className={classes['all']}>
          <input
            type="checkbox"
            aria-label={labels.selectAll(title)}
            ref={mixed(!areAllSelected && names.some((name) => selected.has(name)))}
            checked={areAllSelected}
            onChange={() => onSelect(new Set(areAllSelected ? others : [...others, ...names]))}
          />
        </label>
      )}
      <details open={group !== 'same'}>
        <summary>
          {title} <span className={classes['count']}>{countText(pairs.length)}</span>
        </summary>
        <ul className="plain-list">{children}</ul>
      </details>
    </div>
  )
}

interface ComparedItemProps {
  readonly pair: Compared
  readonly from: Stage
  readonly to: Stage
  readonly isSelected: boolean
  /** Undefined: no copy by the viewer changes the variable. */
  readonly onSelect: (() => void) | undefined
  /** Whether it is an alarm that a stage lacks the variable. */
  readonly needAll: readonly boolean[]
  /** The entry of each stage, if people see its value without a reveal. */
  readonly plain: readonly (RevealedEntry | undefined)[]
  readonly revealing: ReturnType<typeof useRevealed>
  /** Whether the viewer may read the values of a stage. */
  readonly mayRead: (stage: Stage) => boolean
  readonly waiting: WaitingProposals
}

/** Returns what differs, as everywhere: what is now, and what it would become. */
function differingOf({ from, to }: Compared, mayReadBoth: boolean): readonly string[] {
  return from && to ? differences(to, from, () => (mayReadBoth ? labels.differs : labels.hiddenValue)) : []
}

/** Shows one variable in both stages. It consists of plain elements, because there may be thousands. */
function ComparedItem({ pair, from, to, isSelected, onSelect, plain, ...props }: ComparedItemProps) {
  const { needAll, revealing, mayRead, waiting } = props
  const { name } = pair
  const sides = [
    { stage: from, variable: pair.from, plain: plain[0] },
    { stage: to, variable: pair.to, plain: plain[1] },
  ]
  const hidden = sides.filter(({ stage, variable, plain: entry }) => variable && !entry && mayRead(stage))
  const shown = sides.map(({ stage, variable }) =>
    freshOf(revealing.revealed.get(name)?.get(stage.stageSlug), variable),
  )
  const isShown = shown.some((value) => value !== undefined)
  const toggle = (): void => {
    for (const { stage, variable } of hidden) {
      const target = { stageSlug: stage.stageSlug, name }
      if (isShown) revealing.hide(target)
      else if (variable) revealing.show(target, variable).catch((error: unknown) => toast.error(error))
    }
  }
  const leading = pair.from ?? pair.to
  const differing = differingOf(pair, mayRead(from) && mayRead(to))
  return (
    <li className={classes['item']} data-focus={name} tabIndex={-1}>
      {onSelect && (
        <label className={classes['target']}>
          <input type="checkbox" aria-label={labels.select(name)} checked={isSelected} onChange={onSelect} />
        </label>
      )}
      <div className={classes['variable']}>
        {leading && <KindIcon kind={seenKindOf(leading)} />}
        <bdi className={classes['name']}>{name}</bdi>
        <span className={classes['facts']}>
          {differing.length > 0 && labels.inTarget(to.name, differing.join(labels.separator))}
        </span>
      </div>
      {sides.map(({ stage, variable, plain: entry }, at) => (
        <Side
          key={stage.stageSlug}
          stage={stage}
          variable={variable}
          entry={entry ?? shown[at]}
          isHidden={!mayRead(stage)}
          isProposed={waiting.get(stage.stageSlug)?.has(name) === true}
          isAlarm={needAll[at] === true}
        />
      ))}
      {hidden.length > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes['reveal'] ?? ''}
          aria-label={isShown ? labels.hideOf(name) : labels.revealOf(name)}
          onClick={toggle}
        >
          {isShown ? labels.hide : labels.reveal}
        </Button>
      )}
    </li>
  )
}

interface ValuesProps {
  readonly entry: RevealedEntry
}

/** Shows the value of a variable, or those of a roll with the letters of their sides. */
function Values({ entry }: ValuesProps) {
  const [a = '', b] = valuesOf(entry)
  if (b === undefined) return <code>{a}</code>
  return (
    <>
      <RollSide side="a" sides={{ a, b }} />
      <RollSide side="b" sides={{ a, b }} />
    </>
  )
}

interface SideProps {
  readonly stage: Stage
  readonly variable: Digested | undefined
  /** The entry, if its values are visible. */
  readonly entry: RevealedEntry | undefined
  /** Whether the viewer may not read it. */
  readonly isHidden: boolean
  /** Whether a proposed change of it waits. */
  readonly isProposed: boolean
  /** Whether it is an alarm that the stage lacks it. */
  readonly isAlarm: boolean
}

/** Shows a variable in one of the stages. */
function Side({ stage, variable, entry, isHidden, isProposed, isAlarm }: SideProps) {
  const { name } = stage
  const { chance } = variable ?? {}
  return (
    <div className={classes['side']} data-stage={name}>
      <VisuallyHidden>{name}: </VisuallyHidden>
      {!variable && !isProposed && (
        <StatusBadge status={isAlarm ? 'missing-in-production' : 'missing'}>{labels.missing}</StatusBadge>
      )}
      {variable && chance !== undefined && <SplitBar share={chance} text={splitText(variable)} />}
      {entry && <Values entry={entry} />}
      {variable && !entry && chance === undefined && (
        <span className={classes['mask']}>{isHidden ? labels.hidden : '••••••••'}</span>
      )}
      {isProposed && <StatusBadge status="proposed">{labels.proposed}</StatusBadge>}
    </div>
  )
}
