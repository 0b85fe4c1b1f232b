import { ActionIcon, Badge, Button, Group, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { countText } from '../../lib/numbers.ts'
import { durationText, exactTime, relativeTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { ButtonLink, TextLink } from '../../ui/buttons.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Filter, FilterBar, FoldedFilters, SearchInput } from '../../ui/filter-bar.tsx'
import { IconEdit, IconMore, IconProposed, IconRoll, IconSearch, IconTime, IconWarning } from '../../ui/icons.ts'
import { Name } from '../../ui/name.tsx'
import { Page } from '../../ui/page.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { SplitBar } from '../../ui/split-bar.tsx'
import { useNow } from '../../ui/time.tsx'
import { projectsQuery, useExampleStage } from '../../data/projects/queries.ts'
import { openProposalsQuery, useWaitingProposals } from '../../data/proposals/queries.ts'
import { ChanceDrawer, StopButton } from './roll-actions.tsx'
import { labels } from './labels.ts'
import { NewRoll } from './new-roll.tsx'
import { ServedShare } from './share-bar.tsx'
import { Side, useSides } from '../../parts/rolls/sides.tsx'
import { rollsQuery } from '../../data/rolls/queries.ts'
import { countFilters, filtered, isDone, listed, type PlacedRoll, noFilters, sorted } from './roll-list.ts'
import { progresses, type RollsSearch, type SortKey, verdicts } from './rolls-search.ts'
import classes from './rolls.module.css'
import { sideOfAll } from '../../data/rolls/targeting.ts'
import { stateOf } from '../../parts/plans/state.ts'
import { ProductionMark } from '../../parts/projects/production-mark.tsx'
import { labels as rollLabels } from '../../parts/rolls/labels.ts'

const { rolls: words } = labels

/** Lists all rolls of the organization with their progress and fit. */
export function RollsPage() {
  const scope = useScope()
  const search = useSearch({ from: '/signed-in/o/$orgSlug/rolls' })
  const rolls = useQuery(rollsQuery(scope))
  const projects = useQuery(projectsQuery(scope))
  const all = useMemo(
    () => rolls.data && projects.data && listed(rolls.data, projects.data),
    [rolls.data, projects.data],
  )
  const error = rolls.error ?? projects.error
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={all && all.length > 0 && <NewRoll projectSlug={search.project} />}
    >
      <LoadError error={error} />
      {!all && !error && <RowsSkeleton rows={10} />}
      {all?.length === 0 && <NoRolls />}
      {all && all.length > 0 && <RollList all={all} />}
    </Page>
  )
}

/** Explains what a roll is and how to create one. */
function NoRolls() {
  const { publicUrl } = useSettings()
  const { projectSlug, stageSlug } = useExampleStage()
  return (
    <EmptyState
      icon={IconRoll}
      title={words.none}
      action={
        <NewRoll
          otherwise={
            <ButtonLink from="/o/$orgSlug" to="./projects">
              {words.noneAction}
            </ButtonLink>
          }
        />
      }
      command={{
        what: words.noneCommand,
        text: `rollkey set NEW_CHECKOUT --ab true false --type boolean \\\n  --plain --chance 0.1 --create \\\n  --url ${publicUrl} \\\n  --project ${projectSlug} --stage ${stageSlug}`,
      }}
    >
      {words.noneText}
    </EmptyState>
  )
}

interface RollListProps {
  readonly all: readonly PlacedRoll[]
}

/** How many rows are drawn at first. */
const shownAtFirst = 200

function RollList({ all }: RollListProps) {
  const may = useMay()
  const search = useSearch({ from: '/signed-in/o/$orgSlug/rolls' })
  const navigate = useNavigate({ from: '/o/$orgSlug/rolls' })
  const [showsAll, setShowsAll] = useState(false)
  const change = (changes: RollsSearch, replace = true): void =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false })
  const [openedAtMs] = useState(Date.now)
  const rows = useMemo(() => sorted(filtered(all, search, openedAtMs), search.sort), [all, search, openedAtMs])
  const shown = showsAll ? rows : rows.slice(0, shownAtFirst)
  return (
    <>
      <FilterBar
        // No column has the order of a list that is not sorted.
        count={[words.count(rows.length, all.length), ...(search.sort ? [] : [words.needLookFirst])].join(', ')}
        onClear={countFilters(search) > 0 || search.search !== undefined ? () => change(noFilters) : undefined}
      >
        <SearchInput
          label={words.filterText}
          value={search.search ?? ''}
          onChange={(text) => change({ search: text === '' ? undefined : text })}
        />
        <FoldedFilters count={countFilters(search)}>
          <Filters all={all} search={search} onChange={change} />
        </FoldedFilters>
      </FilterBar>
      {rows.length === 0 ? (
        <EmptyState
          icon={IconSearch}
          title={words.noMatch}
          action={
            <Button variant="default" onClick={() => change(noFilters)}>
              {words.clearFilters}
            </Button>
          }
        >
          {words.noMatchText}
        </EmptyState>
      ) : (
        <RollTable
          rows={shown}
          sort={search.sort}
          onSort={(sort) => change({ sort })}
          onChangeChance={(roll) => change({ change: roll.key }, false)}
        />
      )}
      {shown.length < rows.length && (
        <div>
          <Button variant="default" onClick={() => setShowsAll(true)}>
            {words.showAll(rows.length)}
          </Button>
        </div>
      )}
      <ChanceDrawer
        roll={all.find((each) => each.key === search.change && may('write', each))}
        onClose={() => change({ change: undefined })}
      />
    </>
  )
}

interface FiltersProps extends RollListProps {
  readonly search: RollsSearch
  readonly onChange: (changes: RollsSearch) => void
}

function chosen(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}

/** Value of the filter that no stage has as its slug. */
const onlyProduction = ':production'

/** Returns each place once, by its slug. */
function places(all: readonly PlacedRoll[], placeOf: (roll: PlacedRoll) => readonly [slug: string, name: string]) {
  return [...new Map(all.map(placeOf))].map(([value, label]) => ({ value, label }))
}

function Filters({ all, search, onChange }: FiltersProps) {
  const stages = places(all, ({ stageSlug, stage }) => [stageSlug, stage.name])
  return (
    <>
      <Filter
        label={words.project}
        options={places(all, ({ projectSlug, project }) => [projectSlug, project.name])}
        chosen={chosen(search.project)}
        onChange={([project]) => onChange({ project })}
      />
      <Filter
        label={words.stage}
        options={[{ value: onlyProduction, label: words.productionOnly }, ...stages]}
        chosen={chosen(search.production ? onlyProduction : search.stage)}
        onChange={([value]) =>
          onChange(
            value === onlyProduction
              ? { production: 'yes', stage: undefined }
              : { production: undefined, stage: value },
          )
        }
      />
      <Filter
        label={words.columns.chance}
        options={progresses.map((value) => ({ value, label: words.progresses[value] }))}
        chosen={chosen(search.progress)}
        onChange={([value]) => onChange({ progress: progresses.find((each) => each === value) })}
      />
      <Filter
        label={words.columns.fit}
        options={verdicts.map((value) => ({ value, label: rollLabels.verdicts[value] }))}
        chosen={chosen(search.fit)}
        onChange={([value]) => onChange({ fit: verdicts.find((each) => each === value) })}
      />
    </>
  )
}

interface RollTableProps {
  readonly rows: readonly PlacedRoll[]
  readonly sort: RollsSearch['sort']
  readonly onSort: (sort: RollsSearch['sort']) => void
  readonly onChangeChance: (roll: PlacedRoll) => void
}

function RollTable({ rows, sort, onSort, onChangeChance }: RollTableProps) {
  const isDescending = sort?.startsWith('-') === true
  return (
    <DataTable
      label={words.list}
      columns={[...columns, actionsColumn(onChangeChance)]}
      rows={rows}
      keyOf={({ key }) => key}
      sort={
        sort && {
          key: isDescending ? sort.slice(1) : sort,
          direction: isDescending ? 'descending' : 'ascending',
        }
      }
      onSort={({ key, direction }) => onSort(direction === 'descending' ? `-${key as SortKey}` : (key as SortKey))}
    />
  )
}

const columns = [
  {
    key: 'name',
    header: words.columns.name,
    isSortable: true,
    cell: ({ name, projectSlug, stageSlug }: PlacedRoll) => (
      <TextLink
        from="/o/$orgSlug"
        to="./p/$projectSlug/roll"
        params={{ projectSlug }}
        search={{ stage: stageSlug, name }}
      >
        <span className={classes['name']}>
          <Name>{name}</Name>
        </span>
      </TextLink>
    ),
  },
  {
    key: 'place',
    header: words.columns.place,
    isSortable: true,
    isSelfEvident: true,
    cell: ({ project, stage }: PlacedRoll) => (
      <Group component="span" className={classes['place'] ?? ''} gap={6} display="inline-flex" wrap="nowrap">
        {`${project.name} / ${stage.name}`}
        <ProductionMark stage={stage} />
      </Group>
    ),
  },
  {
    key: 'chance',
    header: words.columns.chance,
    isSortable: true,
    isSelfEvident: true,
    cell: (roll: PlacedRoll) => <Chance roll={roll} />,
  },
  {
    key: 'fit',
    header: words.columns.fit,
    isSortable: true,
    cell: (roll: PlacedRoll) => <ServedShare roll={roll} />,
  },
  {
    key: 'since',
    header: words.columns.since,
    isSortable: true,
    cell: ({ chanceSinceMs }: PlacedRoll) => <Age sinceMs={chanceSinceMs} />,
  },
  {
    key: 'served',
    header: words.columns.served,
    isSortable: true,
    align: 'end',
    cell: ({ servedCount }: PlacedRoll) => countText(servedCount),
  },
] as const

interface ChanceProps {
  readonly roll: PlacedRoll
}

/** Shows who gets A, with its value; where everyone gets the same, only that. */
function Chance({ roll }: ChanceProps) {
  const { projectSlug, stageSlug, name, chance, pinned, ruleCount } = roll
  const nowMs = useNow()
  const sides = useSides({ projectSlug, stageSlug }, name, roll.labels)
  const all = sideOfAll(roll)
  return (
    <span className={classes['split']} data-settled={all && true}>
      {!all && <SplitBar share={chance} label={labels.chanceOfA} hasText={false} />}
      <span>
        {labels.splitStart(chance, all)} <Side side={all ?? 'a'} sides={sides} /> {labels.after(pinned, ruleCount)}
      </span>
      {isDone(roll, nowMs) && <Badge component="span">{labels.done.badge}</Badge>}
      <Waiting roll={roll} />
    </span>
  )
}

/** Says that a change of the roll is planned or proposed, or that its rollout is paused. */
function Waiting({ roll: { projectSlug, stageSlug, name } }: ChanceProps) {
  const nowMs = useNow()
  const waiting = useWaitingProposals(projectSlug).get(stageSlug)?.get(name)
  const { data: open = [] } = useQuery(openProposalsQuery(useScope()))
  const paused = open.find(
    (each) =>
      each.state === 'paused' &&
      each.projectSlug === projectSlug &&
      each.stageSlug === stageSlug &&
      each.names.includes(name),
  )
  const proposal = paused ?? waiting
  if (!proposal) return null
  const { dueAtMs, reason } = proposal
  if (proposal === paused)
    return (
      <span className={classes['waiting']} title={reason}>
        <IconWarning size={14} />
        {stateOf(paused, nowMs).text}
      </span>
    )
  const Art = dueAtMs === undefined ? IconProposed : IconTime
  return (
    <span className={classes['waiting']} title={reason}>
      <Art size={14} />
      {dueAtMs === undefined ? words.proposed : words.planned(relativeTime(dueAtMs, nowMs))}
    </span>
  )
}

interface AgeProps {
  readonly sinceMs: number
}

function Age({ sinceMs }: AgeProps) {
  const nowMs = useNow()
  return (
    <time dateTime={new Date(sinceMs).toISOString()} title={exactTime(sinceMs)}>
      {durationText(nowMs - sinceMs)}
    </time>
  )
}

function actionsColumn(onChangeChance: (roll: PlacedRoll) => void) {
  return {
    key: 'actions',
    header: words.actions,
    isHeaderHidden: true,
    align: 'end',
    cell: (roll: PlacedRoll) => <Actions roll={roll} onChangeChance={() => onChangeChance(roll)} />,
  } as const
}

interface ActionsProps {
  readonly roll: PlacedRoll
  readonly onChangeChance: () => void
}

function Actions({ roll, onChangeChance }: ActionsProps) {
  const { projectSlug, stageSlug, name, stage } = roll
  const mayWrite = useMay()('write', { projectSlug, stageSlug })
  const navigate = useNavigate({ from: '/o/$orgSlug/rolls' })
  const open = (): void =>
    void navigate({
      to: '/o/$orgSlug/p/$projectSlug/roll',
      params: { projectSlug },
      search: { stage: stageSlug, name },
    })
  return (
    <span className={classes['actions']}>
      {mayWrite && sideOfAll(roll) !== 'b' && (
        <StopButton
          isInRow
          roll={{
            ...roll,
            place: { projectSlug, stageSlug },
            stageName: stage.name,
            isProduction: stage.isProduction,
            protection: stage.protection,
          }}
        />
      )}
      <Menu position="bottom-end" withInitialFocusPlaceholder={false} withinPortal={false}>
        <Menu.Target>
          <ActionIcon aria-label={words.actionsOf(name, stage.name)}>
            <IconMore />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconRoll />} onClick={open}>
            {words.open}
          </Menu.Item>
          {mayWrite && (
            <Menu.Item leftSection={<IconEdit />} onClick={onChangeChance}>
              {words.changeChance}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </span>
  )
}
