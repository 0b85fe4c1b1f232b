/** The data of the overview. Each part has a query, so that it loads and fails by itself. */
import { fitOf, withoutHiddenCharacters } from '@rollkey/contract/rules'
import type { Answer } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { latestDays, sumOf, type Usage, type Used } from '../usage/usage.ts'

export type Attention = Answer<'attention'>
export type RecentRevision = Answer<'recentHistory'>['revisions'][number]
export type Roll = Answer<'rolls'>['rolls'][number]

const shownRevisions = 8
const changesRefreshMs = 10_000
const refreshMs = 60_000

export const attentionQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['attention', scope.orgSlug],
    queryFn: async (): Promise<Attention> => {
      const { expiringTokens, ...attention } = await ask(scope, 'attention', {})
      const shown = expiringTokens?.map((token) => ({ ...token, name: withoutHiddenCharacters(token.name) }))
      return { ...attention, ...(shown && { expiringTokens: shown }) }
    },
    refetchInterval: refreshMs,
  })

export const recentChangesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['recent-changes', scope.orgSlug],
    queryFn: async (): Promise<readonly RecentRevision[]> =>
      (await ask(scope, 'recentHistory', { limit: shownRevisions })).revisions,
    refetchInterval: changesRefreshMs,
  })

/** Reads the rolls that serve both values, the last changed first. */
export const rollsInProgressQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['rolls-in-progress', scope.orgSlug],
    queryFn: async (): Promise<readonly Roll[]> =>
      (await allRolls(scope))
        .filter(({ chance }) => chance > 0 && chance < 1)
        .toSorted((one, other) => other.updatedAtMs - one.updatedAtMs),
    refetchInterval: refreshMs,
  })

async function allRolls(scope: Scope, after?: Roll): Promise<readonly Roll[]> {
  const { rolls, more } = await ask(scope, 'rolls', { after: after && placeOf(after) })
  return more ? [...rolls, ...(await allRolls(scope, rolls.at(-1)))] : rolls
}

function placeOf({ projectSlug, stageSlug, name }: Roll) {
  return { projectSlug, stageSlug, name }
}

/** Returns whether the split served at the present chance differs by more than chance alone explains. */
export function isMisfit({ chance, sinceChance }: Roll): boolean {
  return fitOf([{ ...sinceChance, chance }]).verdict === 'differs'
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
