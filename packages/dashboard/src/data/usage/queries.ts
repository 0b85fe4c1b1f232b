import type { Answer } from '@rollkey/sdk/core'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { firstDayMs, type Span, type Usage } from './usage.ts'

const shownMonths = 12
/** The forecast needs a month of days. */
const minDays = 31
/** Evaluations cause no events. */
const refreshMs = 10_000

export const usageQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['usage', scope.orgSlug, span],
    queryFn: (): Promise<Usage> => ask(scope, 'usage', { months: shownMonths, days: Math.max(span, minDays) }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })

export type Callers = Answer<'usageCallers'>

/** Reads how many times each credential evaluated, for owners and admins. */
export const callersQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['usage-callers', scope.orgSlug, span],
    queryFn: (): Promise<Callers> => {
      const nowMs = Date.now()
      return ask(scope, 'usageCallers', { from: utcDay(firstDayMs(nowMs, span)), to: utcDay(nowMs) })
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })

function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}
