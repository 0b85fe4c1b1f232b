import type { HistoryChange, Stage, StageSlugs } from '@rollkey/sdk/core'
import { Sentence } from '../../ui/sentence.tsx'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Autocomplete, Button } from '@mantine/core'
import { useScope } from '../../session/scope.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Filter, FilterBar } from '../../ui/filter-bar.tsx'
import { IconFilter, IconHistory, IconToken } from '../../ui/icons.ts'
import { ShowOlder } from '../../ui/data-table.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { focusChosenRow, Timeline, TimelineDetails, TimelineLink, TimelineText } from '../../ui/timeline.tsx'
import { digestsQuery } from '../../data/variables/queries.ts'
import { effectNames, type HistorySearch } from './history-search.ts'
import { useChangedValues } from '../../parts/variables/changed-values.tsx'
import { labels, sentenceOf } from './labels.ts'
import {
  type ChangedValues,
  historyQuery,
  isByMachine,
  revisionQuery,
  useAuthorName,
  useCredit,
} from '../../data/history/queries.ts'
import { type Past, RestoreDrawer } from './restore-drawer.tsx'
import { RevisionDetails } from './revision-details.tsx'
import { filtered, type Outcome, outcomesOf, type Revision, revisionsOf } from './revisions.ts'
import classes from './history.module.css'

interface StageHistoryProps {
  readonly place: StageSlugs
  readonly stage: Stage
  readonly isReadOnly: boolean
  readonly search: HistorySearch
}

/** Shows the history of a stage, or of one of its variables. */
export function StageHistory({ place, stage, isReadOnly, search }: StageHistoryProps) {
  const { name } = search
  const chosen = search.revision === undefined ? undefined : Number(search.revision)
  const { go, close } = useHistoryAddress()
  const { all, shown, changes, list } = useStageHistory(place, search)
  const newest = all?.[0]
  const values = useChangedValues(place, name, changes)
  const { past, setPast, forget } = usePast(place, search.undo, go)
  const outcomeOf = useOutcomes(place, changes)
  const what = name ?? stage.name
  const isFiltered = search.person !== undefined || search.change !== undefined
  return (
    <>
      <HistoryFilters place={place} search={search} revisions={all} onChange={go} count={shown?.length} />
      <LoadError error={list.error} />
      {!shown && !list.error && <RowsSkeleton />}
      {shown?.length === 0 && !list.isFetchingNextPage && (
        <NoChanges name={name} stage={stage} isFiltered={isFiltered} />
      )}
      <Timeline
        label={labels.list(what)}
        items={shown ?? []}
        keyOf={({ revision }) => String(revision)}
        msOf={({ writtenAtMs }) => writtenAtMs}
        row={(revision) => <RevisionRow revision={revision} chosen={chosen} values={values} />}
        action={(revision) =>
          !isReadOnly && (
            <RowActions {...{ name, revision, stage, newest }} outcome={outcomeOf(revision)} onRestore={setPast} />
          )
        }
        chosen={chosen === undefined ? undefined : String(chosen)}
        details={
          chosen !== undefined && (
            <ChosenRevision place={place} name={name} chosen={chosen} revisions={all} onClose={close}>
              {(revision) => (
                <RevisionDetails
                  {...{ place, stage, name, revision, isReadOnly }}
                  onUndo={outcomeOf(revision)?.undoes === true ? () => setPast(pastBefore(revision)) : undefined}
                  later={all?.includes(revision) ? changes.filter((each) => each.revision > chosen) : undefined}
                  onRestore={setPast}
                  onClose={close}
                />
              )}
            </ChosenRevision>
          )
        }
      />
      <ShowOlder list={list} />
      <RestoreDrawer
        place={place}
        stage={stage.name}
        past={isReadOnly ? undefined : past}
        onClose={forget}
        onRestored={(revision) => go({ revision: String(revision), undo: undefined })}
      />
    </>
  )
}

/** Returns what the undo of a revision restores: its variables, as they were before. */
function pastBefore({ revision, changes }: Revision): Past {
  return { revision: revision - 1, names: changes.map(({ change }) => change.name), undone: revision }
}

/** Returns a function that returns what can be done about a loaded revision; undefined while it is unknown. */
function useOutcomes(place: StageSlugs, changes: readonly HistoryChange[]) {
  const { data } = useQuery(digestsQuery(useScope(), place))
  const outcomes = useMemo(() => data && outcomesOf(data.variables, changes), [data, changes])
  return ({ revision }: Revision): Outcome | undefined => outcomes?.get(revision)
}

/** Returns the revision that a person chose to restore, or the one before the revision whose undo the address asks for. */
function usePast(place: StageSlugs, undo: string | undefined, go: (change: HistorySearch) => void) {
  const [past, setPast] = useState<Past | undefined>()
  const isAsked = undo !== undefined
  const { data } = useQuery({ ...revisionQuery(useScope(), place, undefined, Number(undo ?? 0)), enabled: isAsked })
  const undone = useMemo(() => {
    const found = isAsked && data && revisionsOf(data)[0]
    return found ? pastBefore(found) : undefined
  }, [isAsked, data])
  const forget = (): void => {
    setPast(undefined)
    if (isAsked) go({ undo: undefined })
  }
  return { past: past ?? undone, setPast, forget }
}

interface RowActionsProps {
  /** Name of the variable to which the history is filtered. */
  readonly name: string | undefined
  readonly revision: Revision
  /** The newest revision. */
  readonly newest: Revision | undefined
  /** Undefined: not known yet. */
  readonly outcome: Outcome | undefined
  readonly stage: Stage
  readonly onRestore: (past: Past) => void
}

/** Restores the state that a revision made, and undoes it alone, where these would change something. */
function RowActions({ name, revision, newest, outcome, stage, onRestore }: RowActionsProps) {
  const isNewest = revision === newest
  const past = { revision: revision.revision, names: name === undefined ? undefined : [name] }
  const restoring = labels.restoreName(name ?? stage.name, past.revision)
  const undoing = labels.undoName(past.revision, isNewest)
  const look = { size: 'compact-sm', variant: 'subtle', color: 'gray' } as const
  return (
    <>
      {outcome?.restores === true && (
        <Button {...look} aria-label={restoring} title={restoring} onClick={() => onRestore(past)}>
          {labels.restoreButton}
        </Button>
      )}
      {outcome?.undoes === true && (
        <Button {...look} aria-label={undoing} title={undoing} onClick={() => onRestore(pastBefore(revision))}>
          {labels.undoButton(isNewest)}
        </Button>
      )}
    </>
  )
}

/** Returns a function that changes the search parameters of the page. */
function useHistoryAddress() {
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/history' })
  const go = (change: HistorySearch): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false })
  const close = (): void => {
    focusChosenRow()
    go({ revision: undefined })
  }
  return { go, close }
}

/** How many revisions a filter loads by itself, and from how many pages. */
const wantedRevisions = 20
const pagesAtOnce = 20

function useStageHistory(place: StageSlugs, { name, person, change }: HistorySearch) {
  const list = useInfiniteQuery(historyQuery(useScope(), place, name))
  const { data, hasNextPage, isFetching, fetchNextPage } = list
  const changes = useMemo(() => data?.pages.flat() ?? [], [data])
  const all = useMemo(() => data && revisionsOf(data.pages.flat()), [data])
  const shown = useMemo(() => all && filtered(all, { person, change }), [all, person, change])
  const isShort = shown !== undefined && shown.length < wantedRevisions && (data?.pages.length ?? 0) < pagesAtOnce
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching) void fetchNextPage()
  }, [isShort, hasNextPage, isFetching, fetchNextPage])
  return { list, changes, all, shown }
}

interface HistoryFiltersProps {
  readonly place: StageSlugs
  readonly search: HistorySearch
  /** The loaded revisions, whose authors can be chosen. */
  readonly revisions: readonly Revision[] | undefined
  readonly onChange: (change: HistorySearch) => void
  /** How many revisions remain. */
  readonly count: number | undefined
}

const changeOptions = effectNames.map((value) => ({ value, label: labels.changes[value] }))

function HistoryFilters({ place, search, revisions = [], onChange, count }: HistoryFiltersProps) {
  const { name, person, change } = search
  const authorName = useAuthorName()
  const authors = new Map(
    revisions.flatMap(({ writtenBy, client, ...proposal }) => {
      const { proposedBy, proposedWith } = proposal
      const writer = [writtenBy, authorName({ writtenBy, client })] as const
      if (proposedBy === undefined) return [writer]
      return [writer, [proposedBy, authorName({ writtenBy: proposedBy, client: proposedWith })] as const]
    }),
  )
  if (person !== undefined && !authors.has(person)) authors.set(person, authorName({ writtenBy: person }))
  const isFiltered = person !== undefined || change !== undefined
  const clear = () => onChange({ name: undefined, person: undefined, change: undefined, revision: undefined })
  return (
    <FilterBar
      onClear={isFiltered || name !== undefined ? clear : undefined}
      count={isFiltered && count !== undefined ? labels.count(count, revisions.length) : undefined}
    >
      <VariableFilter
        place={place}
        name={name}
        onChange={(chosen) => onChange({ name: chosen === '' ? undefined : chosen, revision: undefined })}
      />
      <Filter
        label={labels.person}
        options={[...authors].map(([value, label]) => ({ value, label }))}
        chosen={person === undefined ? [] : [person]}
        onChange={([chosen]) => onChange({ person: chosen })}
      />
      <Filter
        label={labels.change}
        options={changeOptions}
        chosen={change === undefined ? [] : [change]}
        onChange={([chosen]) => onChange({ change: effectNames.find((effect) => effect === chosen) })}
      />
    </FilterBar>
  )
}

interface RevisionRowProps {
  readonly revision: Revision
  readonly chosen: number | undefined
  /** The values before and after the changes, where people see them. */
  readonly values: readonly ChangedValues[]
}

function RevisionRow({ revision, chosen, values }: RevisionRowProps) {
  const { author, who, parts } = useCredit()(revision)
  const changes = revision.changes.map(({ change }) => change)
  return (
    <TimelineLink
      from="/o/$orgSlug/p/$projectSlug/history"
      to="."
      search={(before) => ({ ...before, revision: String(revision.revision) })}
      // One step back closes the details, however many were opened.
      replace={chosen !== undefined}
      resetScroll={false}
    >
      <TimelineText
        who={who}
        initialsOf={author}
        icon={isByMachine(revision) ? IconToken : undefined}
        ms={revision.writtenAtMs}
      >
        <Sentence parts={[...parts, ...sentenceOf(changes, values)]} />{' '}
        <span className={classes['number']} title={labels.revision(revision.revision)}>
          {labels.number(revision.revision)}
        </span>
      </TimelineText>
    </TimelineLink>
  )
}

interface ChosenRevisionProps {
  readonly place: StageSlugs
  readonly name: string | undefined
  readonly chosen: number
  /** The loaded revisions. */
  readonly revisions: readonly Revision[] | undefined
  readonly onClose: () => void
  readonly children: (revision: Revision) => ReactNode
}

/** Shows the revision of the address, which may be older than those of the list. */
function ChosenRevision({ place, name, chosen, revisions, onClose, children }: ChosenRevisionProps) {
  const listed = revisions?.find(({ revision }) => revision === chosen)
  const isOlder = revisions !== undefined && listed === undefined
  const { data, error } = useQuery({ ...revisionQuery(useScope(), place, name, chosen), enabled: isOlder })
  const found = listed ?? (data && revisionsOf(data)[0])
  if (found) return children(found)
  return (
    <TimelineDetails title={labels.revision(chosen)} onClose={onClose}>
      {error ? <LoadError error={error} /> : data ? labels.noRevision(chosen) : <RowsSkeleton rows={3} />}
    </TimelineDetails>
  )
}

interface NoChangesProps {
  readonly name: string | undefined
  readonly stage: Stage
  readonly isFiltered: boolean
}

function NoChanges({ name, stage, isFiltered }: NoChangesProps) {
  if (isFiltered)
    return (
      <EmptyState icon={IconFilter} title={labels.nothingFound}>
        {labels.nothingFoundText}
      </EmptyState>
    )
  return (
    <EmptyState
      icon={IconHistory}
      title={name === undefined ? labels.nothingYet : labels.nothingOfName(name, stage.name)}
    >
      {name === undefined ? labels.nothingYetText : labels.nothingOfNameText}
    </EmptyState>
  )
}

interface VariableFilterProps {
  readonly place: StageSlugs
  /** Undefined: all variables. */
  readonly name: string | undefined
  /** Receives a name, or an empty text for all variables. */
  readonly onChange: (name: string) => void
}

/** Filters by variable. It offers the present ones, and accepts any name. */
function VariableFilter({ place, name = '', onChange }: VariableFilterProps) {
  const { data } = useQuery(digestsQuery(useScope(), place))
  const [typed, setTyped] = useState(name)
  const [shown, setShown] = useState(name)
  // Links change the name too.
  if (name !== shown) {
    setShown(name)
    setTyped(name)
  }
  return (
    <form
      className={classes['filter']}
      onSubmit={(event) => {
        event.preventDefault()
        onChange(typed)
      }}
    >
      <Autocomplete
        aria-label={labels.variable}
        placeholder={labels.filterByName}
        limit={50}
        comboboxProps={{ withinPortal: false }}
        withScrollArea={false}
        classNames={{ options: classes['options'] ?? '', option: 'wrapping' }}
        maxLength={256}
        autoCapitalize="none"
        spellCheck={false}
        clearable
        clearButtonProps={{ 'aria-label': labels.showAllVariables }}
        data={data?.variables.map((variable) => variable.name) ?? []}
        value={typed}
        onChange={(next) => {
          setTyped(next)
          if (next === '') onChange('')
        }}
        onOptionSubmit={onChange}
      />
    </form>
  )
}
