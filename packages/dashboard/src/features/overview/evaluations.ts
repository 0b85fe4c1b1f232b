import { latestDays, sumOf, type Usage, type Used } from '../usage/usage.ts'

export const shownDays = 30

interface RecentEvaluations {
  /** The latest days, today included, the oldest first. */
  readonly days: readonly Used[]
  readonly total: number
  /** In as many days before. */
  readonly totalBefore: number
}

export function recentEvaluations(usage: Pick<Usage, 'days'>, nowMs: number): RecentEvaluations {
  const all = latestDays(usage, nowMs, 2 * shownDays)
  const days = all.slice(shownDays)
  return { days, total: sumOf(days), totalBefore: sumOf(all.slice(0, shownDays)) }
}
