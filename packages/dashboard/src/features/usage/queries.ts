import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import type { Usage } from './usage.ts'

const shownMonths = 12
const refreshMs = 10_000

/** Asked again and again, since nobody tells of it. */
export const usageQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['usage', scope.orgSlug],
    queryFn: async (): Promise<Usage> => ask(scope, 'usage', { months: shownMonths }),
    refetchInterval: refreshMs,
  })
