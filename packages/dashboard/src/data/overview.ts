/** The data of the overview. Each part has a query, so that it loads and fails by itself. */
import type { ListedRoll, RecentRevision } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'
import { latestDays, sumOf, type Usage, type Used } from './usage/usage.ts'
import { sideOfAll } from './rolls/targeting.ts'

/** How many changes are shown. */
const shownChanges = 8
/** How many revisions are read, because several stages may be one change. */
const readRevisions = 3 * shownChanges
/** How far apart one person's saves to several stages may be. */
const togetherMs = 60_000
const changesRefreshMs = 10_000
const refreshMs = 60_000

export const recentChangesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['recent-changes', scope.orgSlug],
    queryFn: async (): Promise<readonly RecentChange[]> =>
      together((await ask(scope, 'recentHistory', { limit: readRevisions })).revisions).slice(0, shownChanges),
    refetchInterval: changesRefreshMs,
  })

/** What a person did in one or more stages of a project at the same time, as the newest revision that it made. */
export interface RecentChange extends RecentRevision {
  /** The newest first. */
  readonly stageSlugs: readonly string[]
}

/** Joins revisions, the newest first, in which a person changed the same in several stages of a project at the same time. */
function together(revisions: readonly RecentRevision[]): readonly RecentChange[] {
  const changes: RecentChange[] = []
  for (const revision of revisions) {
    const { stageSlug } = revision
    const at = changes.findIndex((change) => !change.stageSlugs.includes(stageSlug) && isTogether(change, revision))
    const change = changes[at]
    if (change) changes[at] = { ...change, stageSlugs: [...change.stageSlugs, stageSlug] }
    else changes.push({ ...revision, stageSlugs: [stageSlug] })
  }
  return changes
}

function isTogether(one: RecentRevision, other: RecentRevision): boolean {
  return (
    one.projectSlug === other.projectSlug &&
    one.writtenBy === other.writtenBy &&
    one.client === other.client &&
    one.proposedBy === other.proposedBy &&
    one.reason === other.reason &&
    one.changeCount === other.changeCount &&
    one.changeCount > 0 &&
    one.writtenAtMs - other.writtenAtMs <= togetherMs &&
    JSON.stringify(one.changes) === JSON.stringify(other.changes)
  )
}

/** Returns the rolls that serve both values, the last changed first. */
export function inProgress(rolls: readonly ListedRoll[]): readonly ListedRoll[] {
  return rolls
    .filter((roll) => sideOfAll(roll) === undefined)
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
