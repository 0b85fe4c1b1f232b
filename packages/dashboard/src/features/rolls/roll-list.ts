/** The rolls of the organization for the list: with their places and verdicts, filtered and sorted. */
import { compareCodePoints, limits } from '@rollkey/contract/rules'
import type { ListedRoll, Project, Stage } from '@rollkey/sdk/core'
import { fitOf, type Verdict } from '../../data/rolls/fit.ts'
import { expectedRange, type ShareRange } from '../../data/rolls/served.ts'
import { type Targeting, sideOfAll } from '../../data/rolls/targeting.ts'
import { type Progress, type RollsSearch, type SortKey, verdicts } from './rolls-search.ts'

/** A roll with its place and verdict. */
export interface PlacedRoll extends ListedRoll {
  readonly key: string
  readonly project: Project
  readonly stage: Stage
  /** Absent if nothing was served since the last change of the chance, or everyone gets the same value. */
  readonly verdict?: Verdict | undefined
  /** The share of A since the last change of the chance. Absent if nothing was served. */
  readonly share?: number | undefined
  /** The expected range of the share. Absent if nothing was served. */
  readonly expected?: ShareRange | undefined
  /** Absent while users of any stage get different sides. */
  readonly settled?: Settled | undefined
  /** How often it was served in 30 days. */
  readonly servedCount: number
}

/** Returns rolls with their places, without those whose stage was deleted or archived. */
export function listed(rolls: readonly ListedRoll[], projects: readonly Project[]): readonly PlacedRoll[] {
  const places = new Map(
    projects.flatMap((project) =>
      project.stages.map((stage) => [placeKey(project.projectSlug, stage.stageSlug), { project, stage }] as const),
    ),
  )
  const byRoll = Map.groupBy(rolls, ({ projectSlug, name }) => `${projectSlug}/${name}`)
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
      settled: settledOf(byRoll.get(`${roll.projectSlug}/${roll.name}`) ?? []),
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
function rollKey({ projectSlug, stageSlug, name }: Pick<ListedRoll, 'projectSlug' | 'stageSlug' | 'name'>): string {
  return `${placeKey(projectSlug, stageSlug)}/${name}`
}

type Filters = Pick<RollsSearch, 'search' | 'project' | 'stage' | 'production' | 'progress' | 'fit'>

/** Returns how many filters are set besides the search. */
export function countFilters({ project, stage, production, progress, fit }: Filters): number {
  return [project, stage, production, progress, fit].filter((each) => each !== undefined).length
}

export const noFilters: Filters = {
  search: undefined,
  project: undefined,
  stage: undefined,
  production: undefined,
  progress: undefined,
  fit: undefined,
}

const msPerDay = 86_400_000

/** What all stages of a project have settled on. */
interface Settled {
  readonly side: 'a' | 'b'
  /** Since when, in the stage that was last. */
  readonly sinceMs: number
}

/**
 * Returns what the stages of a roll have settled on; undefined while some users get the other side, in any stage. The last write
 * may have cleared pins or rules, so it counts even where the chance is older.
 */
function settledOf(stages: readonly ListedRoll[]): Settled | undefined {
  const [side, ...others] = new Set(stages.map(sideOfAll))
  if (side === undefined || others.length > 0) return undefined
  return {
    side,
    sinceMs: Math.max(...stages.flatMap(({ chanceSinceMs, updatedAtMs }) => [chanceSinceMs, updatedAtMs])),
  }
}

/** Returns whether all stages have given everyone the same side for long enough to use its value in the code. */
export function isDone({ settled }: Pick<PlacedRoll, 'settled'>, nowMs: number): boolean {
  return settled !== undefined && nowMs - settled.sinceMs > limits.staleDays * msPerDay
}

/** Returns how far a roll is: some get A, everyone, or no one. */
function progressOf(roll: Targeting): Exclude<Progress, 'done'> {
  return sideOfAll(roll) ?? 'partial'
}

function allows(filter: string | undefined, value: string | undefined): boolean {
  return filter === undefined || filter === value
}

export function filtered(rolls: readonly PlacedRoll[], filters: Filters, nowMs: number): readonly PlacedRoll[] {
  const { progress } = filters
  const text = filters.search?.trim().toLowerCase() ?? ''
  return rolls.filter(
    (roll) =>
      roll.name.toLowerCase().includes(text) &&
      allows(filters.project, roll.projectSlug) &&
      allows(filters.stage, roll.stageSlug) &&
      (filters.production === undefined || roll.stage.isProduction) &&
      (progress === 'done' ? isDone(roll, nowMs) : allows(progress, progressOf(roll))) &&
      allows(filters.fit, roll.verdict),
  )
}

/** Returns the position of the verdict, those without one last. */
function rankOf({ verdict }: PlacedRoll): number {
  return verdict === undefined ? verdicts.length : verdicts.indexOf(verdict)
}

function placeNames({ project, stage }: PlacedRoll): string {
  return `${project.name} / ${stage.name}`
}

type Compare = (one: PlacedRoll, other: PlacedRoll) => number

const compares: Readonly<Record<SortKey, Compare>> = {
  name: (one, other) => compareCodePoints(one.name, other.name),
  place: (one, other) => placeNames(one).localeCompare(placeNames(other), 'en'),
  chance: (one, other) => one.chance - other.chance,
  fit: (one, other) => rankOf(one) - rankOf(other),
  // The shortest time is first, because the column shows how long the chance is unchanged.
  since: (one, other) => other.chanceSinceMs - one.chanceSinceMs,
  served: (one, other) => one.servedCount - other.servedCount,
}

/** Returns how much a roll needs a look: above all where its share does not fit the chance, then in progress, then in production. */
function urgencyOf(roll: PlacedRoll): number {
  const { verdict, stage } = roll
  const isOdd = verdict === 'differs' || verdict === 'unusual'
  return (isOdd ? 4 : 0) + (progressOf(roll) === 'partial' ? 2 : 0) + (stage.isProduction ? 1 : 0)
}

/** Returns the rolls in an order. Without one, those that need a look are first, and the others stay by project, stage and name. */
export function sorted(rolls: readonly PlacedRoll[], sort: RollsSearch['sort']): readonly PlacedRoll[] {
  if (sort === undefined) return rolls.toSorted((one, other) => urgencyOf(other) - urgencyOf(one))
  const isDescending = sort.startsWith('-')
  const compare = compares[(isDescending ? sort.slice(1) : sort) as SortKey]
  return rolls.toSorted((one, other) => (isDescending ? compare(other, one) : compare(one, other)))
}
