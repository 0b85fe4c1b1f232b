/** The rolls of the organization as the list shows them: with their places, judged, filtered and sorted. */
import { compareCodePoints, fitOf, type Fit } from '@rollkey/contract/rules'
import type { Answer } from '@rollkey/sdk/core'
import type { Project, Stage } from '../projects/queries.ts'
import { expectedRange, type ShareRange } from './expected.ts'
import { verdicts, type Progress, type RollsSearch, type SortKey } from './rolls-search.ts'

export type Roll = Answer<'rolls'>['rolls'][number]

export interface ListedRoll extends Roll {
  readonly key: string
  readonly project: Project
  readonly stage: Stage
  readonly verdict: Fit['verdict']
  /** The share of A since the chance is what it is. Absent if nothing was served. */
  readonly share?: number | undefined
  /** Where the share is expected. Absent if nothing was served. */
  readonly expected?: ShareRange | undefined
  /** How often it was served in 30 days. */
  readonly servedCount: number
}

/** Returns rolls with their places. Leaves out those whose stage is not there any more. */
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
      verdict: fitOf(counts).verdict,
      share: a + b === 0 ? undefined : a / (a + b),
      expected: expectedRange(counts),
      servedCount: roll.served.a + roll.served.b,
    }
  })
}

function placeKey(projectSlug: string, stageSlug: string): string {
  return `${projectSlug}/${stageSlug}`
}

/** Names a roll in the organization. A slug has no slash, but a name may. */
function rollKey({ projectSlug, stageSlug, name }: Pick<Roll, 'projectSlug' | 'stageSlug' | 'name'>): string {
  return `${placeKey(projectSlug, stageSlug)}/${name}`
}

type Filters = Pick<RollsSearch, 'search' | 'project' | 'stage' | 'production' | 'progress' | 'fit'>

/** Whether an address shows only some of the rolls. */
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

function allows(filter: string | undefined, value: string): boolean {
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

type Compare = (one: ListedRoll, other: ListedRoll) => number

const compares: Readonly<Record<SortKey, Compare>> = {
  name: (one, other) => compareCodePoints(one.name, other.name),
  project: (one, other) => one.project.name.localeCompare(other.project.name, 'en'),
  stage: (one, other) => one.stage.name.localeCompare(other.stage.name, 'en'),
  chance: (one, other) => one.chance - other.chance,
  share: (one, other) => (one.share ?? -1) - (other.share ?? -1),
  fit: (one, other) => verdicts.indexOf(one.verdict) - verdicts.indexOf(other.verdict),
  // The shortest time first, as the column says how long it is.
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
