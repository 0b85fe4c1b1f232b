import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { beginningOf, spans, type Hour, type SpanName } from './served.ts'
import type { Place } from '../variables/queries.ts'

/** How often the values of a roll were served; asked again and again, since nobody tells of it. */
export const rollCountsQuery = (scope: Scope, place: Place, name: string, span: SpanName) =>
  queryOptions({
    queryKey: ['roll-counts', scope.orgSlug, place.projectSlug, place.stageSlug, name, span],
    queryFn: async (): Promise<readonly Hour[]> =>
      (await ask(scope, 'rollCounts', { ...place, name, fromMs: beginningOf(span, Date.now()) })).hours,
    refetchInterval: spans[span].refreshMs,
  })
