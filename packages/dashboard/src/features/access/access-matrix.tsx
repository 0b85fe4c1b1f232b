import { Button, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { relativeTime } from '../../lib/time.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, SearchInput } from '../../ui/filter-bar.tsx'
import { IconPeople, IconSearch } from '../../ui/icons.ts'
import { useNow } from '../../ui/time.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import classes from './access.module.css'
import type { GrantTarget } from './grant-drawer.tsx'
import { labels } from './labels.ts'
import { labels as accessLabels } from '../../data/access/labels.ts'
import {
  type Cell,
  accessFocus,
  cellOf,
  hasAccess,
  keyOf,
  linesOf,
  type Named,
  roleOf,
  type Source,
} from '../../data/access/matrix.ts'
import { PlaceHead } from './place-head.tsx'
import { PrincipalName } from './principal-name.tsx'
import { sourceText } from './source-text.ts'
import type { Access, NamedPlace } from './use-access.ts'
import { useVisibleColumns } from './use-visible-columns.ts'
import { placeName } from '../../data/projects/labels.ts'

const words = labels.access

/** The filter of the page's address. */
export interface Filter {
  readonly search: string
  readonly onSearch: (search: string) => void
}

/** How many rows are drawn at first, and with each click on more. */
const rowsAtOnce = 100

interface AccessMatrixProps {
  readonly access: Access
  readonly filter: Filter
  readonly onOpen: (target: GrantTarget) => void
}

/** Shows principals as rows and places as columns. */
export function AccessMatrix({ access, filter: { search, onSearch }, onOpen }: AccessMatrixProps) {
  const [maxRows, setMaxRows] = useState(rowsAtOnce)
  const nowMs = useNow()
  const rows = useRows(access, nowMs)
  const found = useMemo(() => rows.filter(({ named }) => matches(named, search)), [rows, search])
  const shown = found.slice(0, maxRows)
  return (
    <>
      <FilterBar count={words.count(found.length, rows.length)}>
        <SearchInput label={words.filter} value={search} onChange={onSearch} />
      </FilterBar>
      {rows.length === 0 && (
        <EmptyState icon={IconPeople} title={words.none}>
          {words.noneText}
        </EmptyState>
      )}
      {rows.length > 0 && found.length === 0 && (
        <EmptyState
          icon={IconSearch}
          title={words.noMatch}
          action={
            <Button variant="default" onClick={() => onSearch('')}>
              {words.clear}
            </Button>
          }
        />
      )}
      {shown.length > 0 && hasGrantsHere(access, rows) && (
        <Text size="sm" c="dimmed">
          {words.notHere[access.within.projectSlug === undefined ? 'organization' : 'project']}
        </Text>
      )}
      {shown.length > 0 && <Matrix access={access} rows={shown} nowMs={nowMs} onOpen={onOpen} />}
      {shown.length < found.length && (
        <div>
          <Button variant="default" onClick={() => setMaxRows(maxRows + rowsAtOnce)}>
            {words.showMore(Math.min(rowsAtOnce, found.length - shown.length))}
          </Button>
        </div>
      )}
    </>
  )
}

function matches({ name, detail = '' }: Named, search: string): boolean {
  return `${name}\n${detail}`.toLowerCase().includes(search.trim().toLowerCase())
}

interface Row {
  readonly named: Named
  readonly sources: readonly Source[]
}

const kinds = ['group', 'user', 'email', 'token']

/** Returns everyone who sees something of the page's place: groups, people, then service tokens. */
function useRows({ within, named, sourcesOf }: Access, nowMs: number): readonly Row[] {
  return useMemo(
    () =>
      named
        .map((each) => ({ named: each, sources: sourcesOf(each) }))
        .filter(({ sources }) => hasAccess(sources, within, nowMs))
        .toSorted((a, b) => kinds.indexOf(a.named.principal.kind) - kinds.indexOf(b.named.principal.kind)),
    [within, named, sourcesOf, nowMs],
  )
}

/** Returns whether something is granted at one of the places of the page. */
function hasGrantsHere({ columns }: Access, rows: readonly Row[]): boolean {
  const places = new Set(columns.map(placeName))
  return rows.some(({ sources }) =>
    sources.some((source) => source.from === 'grant' && !source.group && places.has(placeName(source))),
  )
}

interface MatrixProps extends Pick<AccessMatrixProps, 'access' | 'onOpen'> {
  readonly rows: readonly Row[]
  readonly nowMs: number
}

/** How many places fit beside each other in most windows. */
const narrowPlaces = 6

function Matrix(props: MatrixProps) {
  const { columns } = props.access
  if (useIsPhone()) return <Cards {...props} />
  if (columns.length > narrowPlaces) return <WideMatrix {...props} />
  return <Table {...props} columns={columns.map((place) => columnOf(props, place))} />
}

interface TableProps extends MatrixProps {
  readonly columns: readonly Column<Row>[]
}

function Table({ access, rows, columns, onOpen }: TableProps) {
  return (
    <DataTable
      label={words.table}
      rows={rows}
      keyOf={({ named }) => keyOf(named.principal)}
      columns={[
        {
          key: 'who',
          header: words.who,
          width: sizes.who,
          cell: ({ named }) => (
            <UnstyledButton className={classes['who']} onClick={() => onOpen({ named, place: access.places[0] ?? {} })}>
              <PrincipalName named={named} groups={access.groups} />
            </UnstyledButton>
          ),
        },
        ...columns,
      ]}
    />
  )
}

function columnOf({ access, nowMs, onOpen }: MatrixProps, place: NamedPlace): Column<Row> {
  return {
    key: placeName(place),
    header: place.name,
    headerContent: <PlaceHead access={access} place={place} />,
    cell: ({ named, sources }) => (
      <AccessCell
        {...shownOf(sources, place, { access, nowMs })}
        label={words.cell(named.name, place.name)}
        focusKey={accessFocus(named.principal, place)}
        onOpen={() => onOpen({ named, place })}
      />
    ),
  }
}

/** Widths in CSS pixels, where the columns are too many to have the width of their content. */
const sizes = { who: 260, place: 168 }

/** Renders only the columns in sight, because there may be thousands. Who it is stays in sight. */
function WideMatrix(props: MatrixProps) {
  const box = useRef<HTMLDivElement>(null)
  const { columns } = props.access
  const { first, end } = useVisibleColumns(box, columns.length, sizes.place)
  const gap = (key: string, count: number): Column<Row>[] =>
    count === 0 ? [] : [{ key, header: '', isGap: true, width: count * sizes.place, cell: () => null }]
  return (
    <div ref={box} className={classes['wide']}>
      <Table
        {...props}
        columns={[
          ...gap('before', first),
          ...columns.slice(first, end).map((place) => ({ ...columnOf(props, place), width: sizes.place })),
          ...gap('after', columns.length - end),
        ]}
      />
    </div>
  )
}

/**
 * Shows for each principal where they may do the same as one line, because a line for each place repeats itself. The stages with
 * their menus stand above, because cards have no heads.
 */
function Cards(props: MatrixProps) {
  const { access, onOpen } = props
  const [around, ...others] = access.columns
  if (!around) return null
  const column: Column<Row> = {
    key: 'access',
    header: words.title,
    isSelfEvident: true,
    cell: (row) => {
      const shownAt = (place: NamedPlace): Shown => shownOf(row.sources, place, props)
      return (
        <ul className={`plain-list ${classes['lines']}`}>
          {linesOf(around, others, shownAt).map(({ shown, places, isRest }) => (
            <li key={places.map(placeName).join()}>
              <AccessCell
                {...shown}
                where={whereText(places, access, isRest)}
                onOpen={() =>
                  onOpen({ named: row.named, place: places.length === 1 && places[0] ? places[0] : around })
                }
              />
            </li>
          ))}
        </ul>
      )
    },
  }
  const stages = others.filter(({ stage }) => stage)
  return (
    <>
      {stages.length > 0 && (
        <ul className={`plain-list ${classes['heads']}`} aria-label={words.stages}>
          {stages.map((place) => (
            <li key={placeName(place)}>
              <PlaceHead access={access} place={place} />
            </li>
          ))}
        </ul>
      )}
      <Table {...props} columns={[column]} />
    </>
  )
}

/** Says where a line of a card applies. */
function whereText(places: readonly NamedPlace[], { columns: [around, ...others] }: Access, isRest: boolean): string {
  const what = others[0]?.stageSlug === undefined ? 'projects' : 'stages'
  if (places[0] === around) return words.where.around[around?.projectSlug === undefined ? 'organization' : 'project']
  if (places.length === others.length && places.length > 1) return words.where.all[what](places.length)
  return isRest && places.length > 1
    ? words.where.others[what](places.length)
    : words.where.named(places.map(({ name }) => name))
}

/** Stages of a project where someone has the same role, which is not that in the project. */
interface StageRole {
  readonly stages: readonly string[]
  readonly role: string
}

/** What a cell shows. */
interface Shown extends Cell {
  readonly role: string
  /** Whether they may do nothing, also not in a stage that the page does not show. */
  readonly isNone: boolean
  readonly details: readonly string[]
}

/** Returns what to show of a place: the role, whether it is granted there, and what a person may do beyond it. */
function shownOf(
  sources: readonly Source[],
  place: NamedPlace,
  { access: { within }, nowMs }: Pick<MatrixProps, 'access' | 'nowMs'>,
): Shown {
  const cell = cellOf(sources, place, nowMs)
  const { direct } = cell
  const { role, source, more } = roleOf(cell, place)
  // The page of the organization does not show stages.
  const stages = place.projectSlug === within.projectSlug ? [] : stageRoles(sources, place, cell, nowMs)
  // Without a role in the project, what they have in stages is what they have.
  const isOnlyInStages = cell.verbs.length === 0 && stages.length > 0
  const ends = direct?.expiresAtMs === undefined ? undefined : relativeTime(direct.expiresAtMs, nowMs)
  return {
    ...cell,
    isNone: cell.verbs.length === 0 && !isOnlyInStages,
    role: isOnlyInStages ? words.onlyIn(stages) : roleText({ role, more }),
    details: [
      ...(direct ? [words.grantedHere(ends)] : originText(place, cell, source)),
      ...(role !== undefined && more.length > 0 ? [accessLabels.more(more)] : []),
      ...(isOnlyInStages ? [] : stages.map(words.stageRole)),
    ],
  }
}

/**
 * Says where the role of a stage comes from if nothing is granted there to the very person, and it is not what they have around the
 * stage: it is granted there to a group, or the stage is protected and gives less.
 */
function originText({ stageSlug, isProtected }: NamedPlace, { inherited, verbs }: Cell, source: Source | undefined) {
  if (stageSlug === undefined) return []
  if (source?.group && source.stageSlug === stageSlug) return [words.grantedToGroup(source.group.name)]
  const usual = inherited.find((each) => each.role !== undefined && each.verbs.some((verb) => !verbs.includes(verb)))
  return isProtected && usual?.role !== undefined ? [words.lessThan(usual.role)] : []
}

/** Returns the roles in the stages of a project where someone may do other things than in the project, because of a grant or the protection. */
function stageRoles(
  sources: readonly Source[],
  { projectSlug, stages = [] }: NamedPlace,
  { verbs }: Cell,
  nowMs: number,
): readonly StageRole[] {
  const granted = new Set(sources.flatMap((each) => (each.projectSlug === projectSlug ? (each.stageSlug ?? []) : [])))
  const others = stages.flatMap(({ stageSlug, name, isProtected = false }) => {
    if (!isProtected && !granted.has(stageSlug)) return []
    const there = { projectSlug, stageSlug, isProtected }
    const cell = cellOf(sources, there, nowMs)
    return cell.verbs.join() === verbs.join() ? [] : [{ name, role: roleText(roleOf(cell, there)) }]
  })
  const byRole = Map.groupBy(others, ({ role }) => role)
  return [...byRole].map(([role, places]) => ({ role, stages: places.map(({ name }) => name) }))
}

function roleText({ role, more }: Pick<ReturnType<typeof roleOf>, 'role' | 'more'>): string {
  return role ?? accessLabels.withoutRole(more)
}

interface AccessCellProps extends Shown {
  /** Whose access it is, for those who only hear it. Absent: it is in the card's first line. */
  readonly label?: string
  /** Where it applies, if no column says that. */
  readonly where?: string
  /** Absent: the cell is of several places. */
  readonly focusKey?: string
  readonly onOpen: () => void
}

/** Shows a role, with what is granted at the very place in strong letters and what comes from elsewhere in quiet ones. */
function AccessCell({ label, where, focusKey, role, isNone, details, direct, inherited, onOpen }: AccessCellProps) {
  return (
    <button
      type="button"
      className={classes['cell']}
      data-focus={focusKey}
      data-direct={direct !== undefined || undefined}
      title={[...(direct ? [direct] : []), ...inherited].map((source) => sourceText(source)).join('\n') || undefined}
      onClick={onOpen}
    >
      {label !== undefined && <VisuallyHidden>{label}</VisuallyHidden>}
      <span>
        <span className={classes[isNone ? 'none' : 'role']}>{role}</span>
        {where !== undefined && ` ${where}`}
      </span>{' '}
      {details.length > 0 && <span className={classes['details']}>{details.join(' · ')}</span>}
    </button>
  )
}
