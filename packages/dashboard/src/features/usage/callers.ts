/** Who evaluated how often, for owners and admins. */
import type { Response } from '@rollkey/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'

export type CallerUsage = Response<'usageCallers'>['callers'][number]

/** Days that can be chosen, today included. */
export const spans = { '7 days': 7, '30 days': 30, '90 days': 90, '400 days': 400 } as const
export type SpanName = keyof typeof spans

const day = 86_400_000
const refreshMs = 10_000

/** Days are those of UTC. */
export const callersQuery = (scope: Scope, span: SpanName) =>
  queryOptions({
    queryKey: ['usage-callers', scope.orgSlug, span],
    queryFn: () => {
      const nowMs = Date.now()
      const from = utcDay(nowMs - (spans[span] - 1) * day)
      return ask(scope, '/v1/usage/callers', { from, to: utcDay(nowMs) })
    },
    refetchInterval: refreshMs,
  })

function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}
