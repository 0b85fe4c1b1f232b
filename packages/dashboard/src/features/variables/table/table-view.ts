/** Filters and order of the table's rows. */
import type { Stage } from '@rollkey/sdk/core'
import { hasDifference, type Row } from '../../../data/variables/comparison.ts'
import type { ProjectSearch, Sort } from '../project-search.ts'
import { shownKindOf } from '../../../data/variables/labels.ts'

export type Filters = Pick<ProjectSearch, 'kind' | 'type' | 'status' | 'missing'>

/** Filters and order. */
export type View = Filters & Pick<ProjectSearch, 'sort'>

export const noFilters: Filters = { kind: undefined, type: undefined, status: undefined, missing: undefined }

export function hasFilters({ kind, type, status, missing }: Filters): boolean {
  return (kind ?? type ?? status ?? missing) !== undefined
}

interface Found {
  readonly filters: Filters
  /** A part of the name or description, upper and lower case alike. */
  readonly text: string
  readonly stages: readonly Pick<Stage, 'stageSlug'>[]
  /** Names of the variables with unsaved changes. */
  readonly drafts: ReadonlySet<string>
  /** Names of the variables for which a change is proposed. */
  readonly proposed: ReadonlySet<string>
  /** Names of the variables that no stage uses. */
  readonly unused: ReadonlySet<string>
}

/** Returns whether a row has the status that the filter asks for. */
function hasStatus(row: Row, status: NonNullable<Filters['status']>, { drafts, proposed, unused }: Found): boolean {
  if (status === 'draft') return drafts.has(row.name)
  if (status === 'proposed') return proposed.has(row.name)
  if (status === 'unused') return unused.has(row.name)
  if (status === 'same') return !hasDifference(row)
  return row.cells.some(({ state }) => state === status)
}

/** Returns the rows that pass the filters. */
export function filtered(rows: readonly Row[], found: Found): readonly Row[] {
  const { filters, text, stages } = found
  const { kind, type, status, missing } = filters
  const wanted = text.trim().toLowerCase()
  const missingAt = stages.findIndex(({ stageSlug }) => stageSlug === missing)
  const checks: ((row: Row) => boolean)[] = [
    ...(wanted === ''
      ? []
      : [({ name, leading: { description = '' } }: Row) => `${name}\n${description}`.toLowerCase().includes(wanted)]),
    ...(kind ? [({ leading }: Row) => shownKindOf(leading) === kind] : []),
    ...(type ? [({ leading }: Row) => (leading.declaredType ?? 'none') === type] : []),
    ...(status ? [(row: Row) => hasStatus(row, status, found)] : []),
    ...(missingAt === -1 ? [] : [({ cells }: Row) => cells[missingAt]?.state === 'missing']),
  ]
  return checks.length === 0 ? rows : rows.filter((row) => checks.every((passes) => passes(row)))
}

/** Returns whether it is an alarm that the stage of a column lacks a variable. */
type IsNeeded = (row: Row, at: number) => boolean

/** Returns how urgent the worst cell of a row is; 0 is the most urgent. */
function urgency(row: Row, isNeeded: IsNeeded): number {
  const ranks = row.cells.map(({ state }, at) => {
    if (state === 'missing') return isNeeded(row, at) ? 0 : 3
    if (state === 'unopened') return 1
    return state === 'different' ? 2 : 4
  })
  return Math.min(...ranks)
}

/** Returns the rows, which are by name, in another order. */
export function sorted(rows: readonly Row[], sort: Sort | undefined, isNeeded: IsNeeded): readonly Row[] {
  if (sort === 'changed') {
    return rows.toSorted((one, other) => (other.lastChange?.atMs ?? 0) - (one.lastChange?.atMs ?? 0))
  }
  if (sort === 'status') {
    const urgencies = new Map(rows.map((row) => [row, urgency(row, isNeeded)]))
    return rows.toSorted((one, other) => (urgencies.get(one) ?? 0) - (urgencies.get(other) ?? 0))
  }
  return rows
}

/** Returns the names from one row to another, both included, in either direction. */
export function range(rows: readonly Row[], from: string, to: string): readonly string[] {
  const ends = [from, to].map((name) => rows.findIndex((row) => row.name === name))
  if (ends.includes(-1)) return [to]
  return rows.slice(Math.min(...ends), Math.max(...ends) + 1).map(({ name }) => name)
}
