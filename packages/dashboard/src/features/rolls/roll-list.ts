/** The rolls of the organization for the list: with their places and verdicts, filtered and sorted. */
import { compareCodePoints } from '@rollkey/contract/rules'
import type { Answer } from '@rollkey/sdk/core'
import type { Project, Stage } from '../projects/queries.ts'
import { fitOf } from './fit.ts'
import { expectedRange, type ShareRange } from './served.ts'

export type Roll = Answer<'rolls'>['rolls'][number]

export interface ListedRoll extends Roll {
  readonly key: string
  readonly project: Project
  readonly stage: Stage
  /** Absent if nothing was served since the last change of the chance, or everyone gets the same value. */
  readonly verdict?: Verdict | undefined
  /** The share of A since the last change of the chance. Absent if nothing was served. */
  readonly share?: number | undefined
  /** The expected range of the share. Absent if nothing was served. */
  readonly expected?: ShareRange | undefined
  /** How often it was served in 30 days. */
  readonly servedCount: number
}

/** Returns rolls with their places, without those whose stage was deleted or archived. */
export function listed(rolls: readonly Roll[], projects: readonly Project[]): readonly ListedRoll[] {
  const places = new Map(
    projects.flatMap((project) =>
      project.stages.map((stage) => [placeKey(project.projectSlug, stage.stageSlug), { project, stage }] as const),
    ),
  )
  return rolls.flatMap((roll) => {
    const place = places.get(placeKey(roll.projectSlug, roll.stageSlug))
    if (!place) return []
    const { a, b } = roll.sinceChance
    const counts = [{ a, b, chance: roll.chance }]
    return {
      ...roll,
      ...place,
      key: rollKey(roll),
      verdict: fitOf(roll)?.verdict,
      share: a + b === 0 ? undefined : a / (a + b),
      expected: expectedRange(counts),
      servedCount: roll.served.a + roll.served.b,
    }
  })
}

function placeKey(projectSlug: string, stageSlug: string): string {
  return `${projectSlug}/${stageSlug}`
}

/** Identifies a roll in the organization. A slug has no slash, but a name may. */
function rollKey({ projectSlug, stageSlug, name }: Pick<Roll, 'projectSlug' | 'stageSlug' | 'name'>): string {
  return `${placeKey(projectSlug, stageSlug)}/${name}`
}

type Filters = Pick<RollsSearch, 'search' | 'project' | 'stage' | 'production' | 'progress' | 'fit'>

/** Returns whether a filter is set. */
export function hasFilters({ search, project, stage, production, progress, fit }: Filters): boolean {
  return [search, project, stage, production, progress, fit].some((each) => each !== undefined)
}

export const noFilters: Filters = {
  search: undefined,
  project: undefined,
  stage: undefined,
  production: undefined,
  progress: undefined,
  fit: undefined,
}

/** Returns how far a roll is: some get A, everyone, or no one. */
function progressOf({ chance }: Pick<Roll, 'chance'>): Progress {
  if (chance === 0) return 'b'
  return chance === 1 ? 'a' : 'partial'
}

function allows(filter: string | undefined, value: string | undefined): boolean {
  return filter === undefined || filter === value
}

export function filtered(rolls: readonly ListedRoll[], filters: Filters): readonly ListedRoll[] {
  const text = filters.search?.trim().toLowerCase() ?? ''
  return rolls.filter(
    (roll) =>
      roll.name.toLowerCase().includes(text) &&
      allows(filters.project, roll.projectSlug) &&
      allows(filters.stage, roll.stageSlug) &&
      (filters.production === undefined || roll.stage.isProduction) &&
      allows(filters.progress, progressOf(roll)) &&
      allows(filters.fit, roll.verdict),
  )
}

/** Returns the position of the verdict, those without one last. */
function rankOf({ verdict }: ListedRoll): number {
  return verdict === undefined ? verdicts.length : verdicts.indexOf(verdict)
}

function placeNames({ project, stage }: ListedRoll): string {
  return `${project.name} / ${stage.name}`
}

type Compare = (one: ListedRoll, other: ListedRoll) => number

const compares: Readonly<Record<SortKey, Compare>> = {
  name: (one, other) => compareCodePoints(one.name, other.name),
  place: (one, other) => placeNames(one).localeCompare(placeNames(other), 'en'),
  chance: (one, other) => one.chance - other.chance,
  share: (one, other) => (one.share ?? -1) - (other.share ?? -1),
  fit: (one, other) => rankOf(one) - rankOf(other),
  // The shortest time is first, because the column shows how long the chance is unchanged.
  since: (one, other) => other.chanceSinceMs - one.chanceSinceMs,
  served: (one, other) => one.servedCount - other.servedCount,
}

/** Returns the rolls in an order. Without one they stay by project, stage and name. */
export function sorted(rolls: readonly ListedRoll[], sort: RollsSearch['sort']): readonly ListedRoll[] {
  if (sort === undefined) return rolls
  const isDescending = sort.startsWith('-')
  const compare = compares[(isDescending ? sort.slice(1) : sort) as SortKey]
  return rolls.toSorted((one, other) => (isDescending ? compare(other, one) : compare(one, other)))
}

/** Filters and order of the list of rolls, which are in the address. */

const sortKeys = ['name', 'place', 'chance', 'share', 'fit', 'since', 'served'] as const
export type SortKey = (typeof sortKeys)[number]

export const progresses = ['partial', 'a', 'b'] as const
export type Progress = (typeof progresses)[number]

export const verdicts = ['differs', 'fits', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

/** The search parameters of the page. */
export interface RollsSearch {
  /** Part of a name. */
  readonly search?: string | undefined
  readonly project?: string | undefined
  readonly stage?: string | undefined
  /** Only production stages. */
  readonly production?: 'yes' | undefined
  /** Who gets A: some, everyone or no one. */
  readonly progress?: Progress | undefined
  readonly fit?: Verdict | undefined
  /** With a leading "-": descending. Absent: by project, stage and name. */
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
