/** The audit log of the organization, for owners and admins. */
import type { AuditEntry } from '@rollkey/sdk/core'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { auditFilter, type AuditFilter, type AuditSearch } from './audit-search.ts'

const entriesOfPage = 100

/** How frequently the page looks for new entries while it is seen. */
const refreshMs = 5_000

/** Reads one entry by its number; null if it does not exist. */
export const entryQuery = (scope: Scope, seq: number) =>
  queryOptions({
    queryKey: ['audit-entry', scope.orgSlug, seq],
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
    // A refresh reads all loaded pages, and a person who looks at older entries does not wait for new ones.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  })

/** Returns the newest `limit` entries that pass the filter and have a lower number than `before`. */
export async function entriesBefore(
  scope: Scope,
  filter: AuditFilter,
  before: number | undefined,
  limit: number,
): Promise<readonly AuditEntry[]> {
  return (await ask(scope, 'audit', { ...filter, before, limit })).entries
}
