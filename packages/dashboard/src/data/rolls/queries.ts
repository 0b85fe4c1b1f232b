import { queryOptions } from '@tanstack/react-query'
import { limits } from '@rollkey/contract/rules'
import type { ListedRoll, StageSlugs } from '@rollkey/sdk/core'
import { ask, type Scope } from '../../session/scope.ts'
import { beginningOf, spans, type Hour, type SpanName } from './served.ts'
import { allStages, stageKey } from '../stages.ts'

/** Interval between reads of the list of rolls, because counts have no events. */
const rollsIntervalMs = 15_000

/** Reads all rolls of the organization, by project, stage and name. */
export const rollsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: stageKey('rolls', scope, allStages),
    queryFn: async ({ signal }): Promise<readonly ListedRoll[]> => {
      const rolls: ListedRoll[] = []
      let more = true
      while (more) {
        const after = rolls.at(-1)
        const page = await ask(scope, 'rolls', after ? { after: placeOf(after) } : {}, signal)
        rolls.push(...page.rolls)
        more = page.more
      }
      return rolls
    },
    refetchInterval: rollsIntervalMs,
  })

function placeOf({ projectSlug, stageSlug, name }: ListedRoll) {
  return { projectSlug, stageSlug, name }
}

/** Reads how often the values of a roll were served, at intervals, because counts have no events. */
export const rollCountsQuery = (scope: Scope, place: StageSlugs, name: string, span: SpanName) =>
  queryOptions({
    queryKey: stageKey('roll-counts', scope, place, name, span),
    queryFn: async (): Promise<readonly Hour[]> =>
      (await ask(scope, 'rollCounts', { ...place, name, fromMs: beginningOf(span, Date.now()) })).hours,
    refetchInterval: spans[span].refreshMs,
  })
/** Reads the latest changes of a roll, the newest first, including those of its chance. */
export const rollChangesQuery = (scope: Scope, place: StageSlugs, name: string) =>
  queryOptions({
    queryKey: stageKey('roll-changes', scope, place, name),
    queryFn: async () => (await ask(scope, 'history', { ...place, name, limit: limits.historyChanges })).changes,
  })
