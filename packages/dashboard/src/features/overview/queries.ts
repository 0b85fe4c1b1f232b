/** The data of the overview. Each part has a query, so that it loads and fails by itself. */
import type { Answer } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import type { Roll } from '../rolls/roll-list.ts'
import { latestDays, sumOf, type Usage, type Used } from '../usage/usage.ts'

export type RecentRevision = Answer<'recentHistory'>['revisions'][number]

const shownRevisions = 8
const changesRefreshMs = 10_000
const refreshMs = 60_000

export const recentChangesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['recent-changes', scope.orgSlug],
    queryFn: async (): Promise<readonly RecentRevision[]> =>
      (await ask(scope, 'recentHistory', { limit: shownRevisions })).revisions,
    refetchInterval: changesRefreshMs,
  })

/** Returns the rolls that serve both values, the last changed first. */
export function inProgress(rolls: readonly Roll[]): readonly Roll[] {
  return rolls
    .filter(({ chance }) => chance > 0 && chance < 1)
    .toSorted((one, other) => other.updatedAtMs - one.updatedAtMs)
}

/** Reads the usage of the shown days and of as many before them. */
export const recentUsageQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['recent-usage', scope.orgSlug],
    queryFn: () => ask(scope, 'usage', { months: 1, days: 2 * shownDays }),
    refetchInterval: refreshMs,
  })

const shownDays = 30

interface RecentEvaluations {
  /** The latest days, today included, the oldest first. */
  readonly days: readonly Used[]
  readonly total: number
  /** Evaluations of as many days before. */
  readonly totalBefore: number
}

export function recentEvaluations(usage: Pick<Usage, 'days'>, nowMs: number): RecentEvaluations {
  const all = latestDays(usage, nowMs, 2 * shownDays)
  const days = all.slice(shownDays)
  return { days, total: sumOf(days), totalBefore: sumOf(all.slice(0, shownDays)) }
}
