/** The audit log of the organization, for owners and admins. */
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { type AuditEntry, auditFilter, type AuditFilter } from './audit-filter.ts'
import type { AuditSearch } from './audit-search.ts'

const entriesOfPage = 100

/** So often new entries are looked for while the page is seen. */
const refreshMs = 5_000

export const auditQuery = (scope: Scope, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', scope.orgSlug, search],
    queryFn: ({ pageParam }): Promise<readonly AuditEntry[]> =>
      entriesBefore(scope, auditFilter(search), pageParam, entriesOfPage),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length < entriesOfPage ? undefined : page.at(-1)?.seq),
    placeholderData: keepPreviousData,
    // Whoever has gone back in time does not wait for news, and all pages would be asked for.
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
