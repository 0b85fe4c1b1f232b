/** Usage of the organization. Months and days are in UTC. */
import type { Answer, Project } from '@rollkey/sdk/core'

export type Usage = Omit<Answer<'usage'>, 'requestId'>
type Day = Usage['days'][number]

const msPerDay = 86_400_000

export interface Used {
  /** When the day or month begins. */
  readonly startMs: number
  readonly evaluations: number
}

/** Usage of a day. */
export interface UsedDay extends Used {
  /** Decisions that apps made by themselves and reported. They do not count as evaluations. */
  readonly reported: number
}

interface Month extends Used {
  /** When the next one begins. */
  readonly endMs: number
}

export function usageByMonth({ months }: Pick<Usage, 'months'>): readonly Month[] {
  return months.map(({ month: text, evaluations }) => {
    const [year = 0, month = 0] = text.split('-').map(Number)
    return { startMs: Date.UTC(year, month - 1), endMs: Date.UTC(year, month), evaluations }
  })
}

export function presentMonth(usage: Pick<Usage, 'months'>): Month {
  return usageByMonth(usage).at(-1) ?? { startMs: 0, endMs: 0, evaluations: 0 }
}

/** Returns the first of the latest `count` days, today included. */
export function firstDayMs(nowMs: number, count: number): number {
  return nowMs - (nowMs % msPerDay) - (count - 1) * msPerDay
}

/** Returns the latest `count` days, the oldest first. `key`: only the usage of this stage. */
export function latestDays(
  { days }: Pick<Usage, 'days'>,
  nowMs: number,
  count: number,
  key?: string,
): readonly UsedDay[] {
  const byDay = Map.groupBy(
    days.filter((each) => key === undefined || keyOf(each) === key),
    ({ day }) => Date.parse(day),
  )
  const firstMs = firstDayMs(nowMs, count)
  return Array.from({ length: count }, (_, index) => {
    const startMs = firstMs + index * msPerDay
    const used = byDay.get(startMs) ?? []
    return { startMs, evaluations: sumOf(used), reported: reportedOf(used) }
  })
}

export function sumOf(used: readonly { readonly evaluations: number }[]): number {
  return used.reduce((sum, { evaluations }) => sum + evaluations, 0)
}

function reportedOf(days: readonly Pick<Day, 'reported'>[]): number {
  return days.reduce((sum, { reported = 0 }) => sum + reported, 0)
}

export interface StageUsage {
  readonly key: string
  /** Undefined: pulls of stages that do not exist. */
  readonly place: { readonly projectSlug: string; readonly stageSlug: string } | undefined
  readonly evaluations: number
  /** Decisions that apps made by themselves and reported. */
  readonly reported: number
  readonly bytes: number
}

type Placed = Pick<Day, 'projectSlug' | 'stageSlug'>

/** Returns the key of a stage in addresses. */
function keyOf({ projectSlug, stageSlug }: Placed): string {
  return projectSlug === undefined || stageSlug === undefined ? 'none' : `${projectSlug}/${stageSlug}`
}

/**
 * Returns each stage with evaluations since a day or something stored, in the order of the projects and their stages. Stages
 * that do not exist come last.
 */
export function usageByStage(usage: Usage, fromMs: number, projects: readonly Project[]): readonly StageUsage[] {
  const days = usage.days.filter(({ day }) => Date.parse(day) >= fromMs)
  const daysOf = Map.groupBy(days, keyOf)
  const bytes = new Map(usage.storage.byStage.map((each) => [keyOf(each), each.bytes]))
  const places = new Map<string, Placed>([...days, ...usage.storage.byStage].map((each) => [keyOf(each), each]))
  const order = projects.flatMap(({ projectSlug, stages }) =>
    stages.map(({ stageSlug }) => keyOf({ projectSlug, stageSlug })),
  )
  const rankOf = (key: string): number => (order.includes(key) ? order.indexOf(key) : Infinity)
  return [...places]
    .map(([key, { projectSlug, stageSlug }]) => ({
      key,
      place: projectSlug === undefined || stageSlug === undefined ? undefined : { projectSlug, stageSlug },
      evaluations: sumOf(daysOf.get(key) ?? []),
      reported: reportedOf(daysOf.get(key) ?? []),
      bytes: bytes.get(key) ?? 0,
    }))
    .toSorted(
      (one, other) =>
        Number(!one.place) - Number(!other.place) ||
        compare(rankOf(one.key), rankOf(other.key)) ||
        compare(one.key, other.key),
    )
}

/** Returns whether a stage or its project was deleted or archived; undefined if it is in use. */
export function conditionOf(
  { projectSlug, stageSlug }: NonNullable<StageUsage['place']>,
  projects: readonly Project[],
): 'deleted' | 'archived' | undefined {
  const project = projects.find((each) => each.projectSlug === projectSlug)
  const stage = project?.stages.find((each) => each.stageSlug === stageSlug)
  if (!project || !stage) return 'deleted'
  return (project.archivedAtMs ?? stage.archivedAtMs) === undefined ? undefined : 'archived'
}

function compare<Value extends string | number>(one: Value, other: Value): number {
  return one === other ? 0 : one < other ? -1 : 1
}

export interface Forecast {
  /** What was counted so far. */
  readonly counted: number
  /** Minimum and maximum of the month, at the pace of the latest days. */
  readonly low: number
  readonly high: number
  /** When the limit is reached at the average pace; undefined if not this month. */
  readonly limitMs: number | undefined
}

const minForecastDays = 7
const maxForecastDays = 28

/**
 * Returns what the month will come to, as the range that holds it with about 95%: a prediction interval from the complete days
 * before today. Undefined with less than seven of them, which say little about the others.
 */
export function forecast(usage: Usage, nowMs: number): Forecast | undefined {
  const { evaluations, endMs } = presentMonth(usage)
  const days = latestDays(usage, nowMs, maxForecastDays + 1).slice(0, -1)
  const counts = days.slice(days.findIndex((each) => each.evaluations > 0)).map((each) => each.evaluations)
  if (counts.length < minForecastDays || counts[0] === 0 || nowMs >= endMs) return undefined
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1)
  const left = (endMs - nowMs) / msPerDay
  const deviation = 2 * Math.sqrt(variance * (left + left ** 2 / counts.length))
  const limit = usage.plan.evaluationsPerMonth
  const limitMs = limit === undefined ? Infinity : nowMs + ((limit - evaluations) / mean) * msPerDay
  return {
    counted: evaluations,
    low: Math.max(evaluations, evaluations + left * mean - deviation),
    high: evaluations + left * mean + deviation,
    limitMs: limitMs < endMs ? limitMs : undefined,
  }
}

/** How many days the pages about usage look back, today included. */
export const spans = [7, 30, 90, 400] as const
export type Span = (typeof spans)[number]

export const usualSpan: Span = 30

/** The search parameters of the pages about usage. */
export interface UsageSearch {
  /** Absent: 30 days. */
  readonly days?: Span | undefined
  /** The stage whose days are shown, such as `shop/prod`. Absent: all stages. */
  readonly stage?: string | undefined
}

/** Returns the known parameters of an address. */
export function usageSearch({ days, stage }: Readonly<Record<string, unknown>>): UsageSearch {
  const span = spans.find((each) => each === Number(days))
  return {
    ...(span !== undefined && span !== usualSpan && { days: span }),
    ...(typeof stage === 'string' && stage !== '' && { stage }),
  }
}
