/** What the organization has used. Months and days are those of UTC. */
import type { Answer } from '@rollkey/sdk/core'

export type Usage = Omit<Answer<'usage'>, 'requestId'>

const day = 86_400_000

export interface Month {
  readonly startMs: number
  /** When the next one begins. */
  readonly endMs: number
}

export interface Used {
  readonly startMs: number
  readonly evaluations: number
}

/** `text`: YYYY-MM. */
function monthOf(text: string): Month {
  const [year = 0, month = 0] = text.split('-').map(Number)
  return { startMs: Date.UTC(year, month - 1), endMs: Date.UTC(year, month) }
}

export function presentMonth({ months }: Usage): Month & Used {
  const { month, evaluations } = months.at(-1) ?? { month: '', evaluations: 0 }
  return { ...monthOf(month), evaluations }
}

/** What the month will come to at the pace so far; undefined on its first day, which says little of the others. */
export function forecast({ startMs, endMs, evaluations }: Month & Used, nowMs: number): number | undefined {
  const goneMs = Math.min(nowMs, endMs) - startMs
  return goneMs < day ? undefined : (evaluations * (endMs - startMs)) / goneMs
}

export interface StageUsage {
  /** Of all that is about the same stage. */
  readonly key: string
  /** Undefined: pulls of stages that did not exist. */
  readonly place: { readonly projectSlug: string; readonly stageSlug: string } | undefined
  /** This month. */
  readonly evaluations: number
  readonly bytes: number
}

interface Placed {
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
}

function keyOf({ projectSlug, stageSlug }: Placed): string {
  return JSON.stringify([projectSlug, stageSlug])
}

function daysOf({ days }: Usage, { startMs }: Month): Usage['days'] {
  return days.filter((each) => Date.parse(each.day) >= startMs)
}

/** Each stage with evaluations this month or something stored, what was evaluated most first. */
export function usageByStage(usage: Usage): readonly StageUsage[] {
  const found = new Map<string, StageUsage>()
  const add = ({ projectSlug, stageSlug }: Placed, evaluations: number, bytes: number): void => {
    const key = keyOf({ projectSlug, stageSlug })
    const before = found.get(key)
    const place = projectSlug === undefined || stageSlug === undefined ? undefined : { projectSlug, stageSlug }
    found.set(key, {
      key,
      place,
      evaluations: evaluations + (before?.evaluations ?? 0),
      bytes: bytes + (before?.bytes ?? 0),
    })
  }
  for (const each of usage.storage.byStage) add(each, 0, each.bytes)
  for (const each of daysOf(usage, presentMonth(usage))) add(each, each.evaluations, 0)
  return [...found.values()].toSorted((one, other) => other.evaluations - one.evaluations)
}

/** Every day of this month. `key`: of the only stage that counts. */
export function usageByDay(usage: Usage, key: string | undefined): readonly Used[] {
  const month = presentMonth(usage)
  const days = daysOf(usage, month).filter((each) => key === undefined || keyOf(each) === key)
  return Array.from({ length: (month.endMs - month.startMs) / day }, (_, index) => {
    const startMs = month.startMs + index * day
    const ofDay = days.filter((each) => Date.parse(each.day) === startMs)
    return { startMs, evaluations: ofDay.reduce((sum, { evaluations }) => sum + evaluations, 0) }
  })
}

export function usageByMonth({ months }: Usage): readonly Used[] {
  return months.map(({ month, evaluations }) => ({ startMs: monthOf(month).startMs, evaluations }))
}
