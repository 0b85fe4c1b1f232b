/** The audit log of the organization, for owners and admins. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { type AuditEntry, auditFilter, type AuditFilter, type AuditSearch } from './audit-search.ts'

const entriesOfPage = 100

/** How frequently the page looks for new entries while it is seen. */
const refreshMs = 5_000

/** One entry by its number; null if there is none. */
export const entryQuery = (scope: Scope, seq: number) =>
  queryOptions({
    queryKey: ['audit entry', scope.orgSlug, seq],
    queryFn: async (): Promise<AuditEntry | null> => {
      const [entry] = await entriesBefore(scope, {}, seq + 1, 1)
      return entry?.seq === seq ? entry : null
    },
  })

export const auditQuery = (scope: Scope, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', scope.orgSlug, auditFilter(search)],
    queryFn: ({ pageParam }): Promise<readonly AuditEntry[]> =>
      entriesBefore(scope, auditFilter(search), pageParam, entriesOfPage),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length < entriesOfPage ? undefined : page.at(-1)?.seq),
    placeholderData: keepPreviousData,
    // A person who has gone back in time does not wait for news, and all pages would be asked for.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  })

/** The newest `limit` entries that the filter lets through, from before a number on. */
export async function entriesBefore(
  scope: Scope,
  filter: AuditFilter,
  before: number | undefined,
  limit: number,
): Promise<readonly AuditEntry[]> {
  return (await ask(scope, 'audit', { ...filter, before, limit })).entries
}
