/** Filters and order of the list of rolls, which are in the address. */
import type { Verdict } from '../../data/rolls/fit.ts'

const sortKeys = ['name', 'place', 'chance', 'fit', 'since', 'served'] as const
export type SortKey = (typeof sortKeys)[number]

export const progresses = ['partial', 'a', 'b', 'done'] as const
export type Progress = (typeof progresses)[number]

export const verdicts = ['differs', 'unusual', 'fits', 'unknown'] as const satisfies readonly Verdict[]

/** The search parameters of the page. */
export interface RollsSearch {
  /** Part of a name. */
  readonly search?: string | undefined
  readonly project?: string | undefined
  readonly stage?: string | undefined
  /** Only production stages. */
  readonly production?: 'yes' | undefined
  /** Who gets A: some, everyone or no one; `done`: in all stages the same for 30 days. */
  readonly progress?: Progress | undefined
  readonly fit?: Verdict | undefined
  /** With a leading "-": descending. Absent: those that need a look first. */
  readonly sort?: SortKey | `-${SortKey}` | undefined
  /** The roll whose chance is being changed: project, stage and name, joined by "/". */
  readonly change?: string | undefined
}

const sorts = sortKeys.flatMap((key) => [key, `-${key}`] as const)

/** Returns the known parameters of an address. */
export function rollsSearch(search: Readonly<Record<string, unknown>>): RollsSearch {
  const known: RollsSearch = {
    search: textOf(search['search']),
    project: textOf(search['project']),
    stage: textOf(search['stage']),
    production: oneOf(['yes'], search['production']),
    progress: oneOf(progresses, search['progress']),
    fit: oneOf(verdicts, search['fit']),
    sort: oneOf(sorts, search['sort']),
    change: textOf(search['change']),
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

/** Returns a parameter as text. A name such as 1 or true is parsed as another type. */
function textOf(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '' ? String(value) : undefined
}

function oneOf<const Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((each) => each === value)
}
