import { Button, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import { useMemo, useRef, useState } from 'react'
import { relativeTime } from '../../lib/time.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, SearchInput } from '../../ui/filter-bar.tsx'
import { IconPeople, IconSearch, IconTime } from '../../ui/icons.ts'
import { useNow } from '../../ui/time.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { placeName } from '../projects/labels.ts'
import classes from './access.module.css'
import type { GrantTarget } from './grant-drawer.tsx'
import { labels } from './labels.ts'
import { cellOf, hasAccess, keyOf, moreThanDirect, type Named, roleWithin, type Source } from './matrix.ts'
import { PlaceHead } from './place-head.tsx'
import { PrincipalName } from './principal-name.tsx'
import { sourceText } from './source-text.ts'
import type { Access, NamedPlace } from './use-access.ts'
import { useVisibleColumns } from './use-visible-columns.ts'

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

interface MatrixProps extends Pick<AccessMatrixProps, 'access' | 'onOpen'> {
  readonly rows: readonly Row[]
  readonly nowMs: number
}

/** How many places fit beside each other in most windows. */
const narrowPlaces = 6

function Matrix(props: MatrixProps) {
  const isWide = props.access.columns.length > narrowPlaces
  const isPhone = useIsPhone()
  if (!isWide) {
    return (
      <div className={classes['matrix']}>
        <Table {...props} columns={props.access.columns.map((place) => columnOf(props, place))} />
      </div>
    )
  }
  return isPhone ? <LongCards {...props} /> : <WideMatrix {...props} />
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
    cell: (row) => <AccessCell {...row} place={place} within={access.within} nowMs={nowMs} onOpen={onOpen} />,
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

/** How many places a card names. */
const namedPlaces = 8

/** Shows for each principal the widest place and those where something else applies, because a card with all is too long. */
function LongCards(props: MatrixProps) {
  const [widest, ...others] = props.access.columns
  const elsewhere: Column<Row> = {
    key: 'elsewhere',
    header: words.elsewhere,
    cell: (row) => {
      const places = others.filter((place) => place.isProtected === true || row.sources.some(isAt(place)))
      if (places.length === 0) return null
      return (
        <ul className={`plain-list ${classes['elsewhere']}`}>
          {places.slice(0, namedPlaces).map((place) => (
            <li key={placeName(place)}>
              {place.name}
              <AccessCell
                {...row}
                place={place}
                within={props.access.within}
                nowMs={props.nowMs}
                onOpen={props.onOpen}
              />
            </li>
          ))}
          {places.length > namedPlaces && <li>{words.andMore(places.length - namedPlaces)}</li>}
        </ul>
      )
    },
  }
  return <Table {...props} columns={[...(widest ? [columnOf(props, widest)] : []), elsewhere]} />
}

/** Returns whether a source is about a stage, or about something in a project. */
function isAt({ projectSlug, stageSlug }: Place): (source: Source) => boolean {
  return (source) => source.projectSlug === projectSlug && (stageSlug ?? source.stageSlug) === source.stageSlug
}

interface AccessCellProps extends Row, Pick<MatrixProps, 'nowMs' | 'onOpen'> {
  readonly place: NamedPlace
  /** What the page is about. */
  readonly within: Place
}

/** Shows what is granted at the very place in strong letters, and what comes from elsewhere in quiet ones. */
function AccessCell({ named, sources, place, within, nowMs, onOpen }: AccessCellProps) {
  const cell = cellOf(sources, place, nowMs)
  const { direct, inherited, verbs } = cell
  // The page of the organization does not show stages.
  const stages =
    place.stageSlug === undefined && place.projectSlug !== within.projectSlug ? stagesOf(sources, place) : 0
  const { role, more } = direct ? { role: direct.role, more: moreThanDirect(cell) } : roleWithin(verbs)
  return (
    <button
      type="button"
      className={classes['cell']}
      data-direct={direct !== undefined || undefined}
      title={[...(direct ? [direct] : []), ...inherited].map((source) => sourceText(source)).join('\n') || undefined}
      onClick={() => onOpen({ named, place })}
    >
      <VisuallyHidden>{words.cell(named.name, place.name, direct !== undefined)}</VisuallyHidden>
      <span className={classes[role === undefined ? 'none' : 'role']}>{role ?? words.nothing}</span>
      {direct?.expiresAtMs !== undefined && (
        <span className={classes['until']}>
          <IconTime size={14} />
          {relativeTime(direct.expiresAtMs, nowMs)}
        </span>
      )}
      {more.length > 0 && <span className={classes['more']}>{words.more(more)}</span>}
      {stages > 0 && <span className={classes['more']}>{words.inStages(stages)}</span>}
    </button>
  )
}

/** Returns in how many stages of a project something else is granted. */
function stagesOf(sources: readonly Source[], { projectSlug }: Place): number {
  const within = sources.filter((source) => source.stageSlug !== undefined && source.projectSlug === projectSlug)
  return new Set(within.map(({ stageSlug }) => stageSlug)).size
}
