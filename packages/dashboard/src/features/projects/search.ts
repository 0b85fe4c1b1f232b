/** Where variables are, over all projects. */
import { limits } from '@rollkey/contract/rules'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'

/** `part`: of the name. The answer of the last part stays until the next one is there. */
export const searchQuery = (scope: Scope, part: string) =>
  queryOptions({
    queryKey: ['search', scope.orgSlug, part],
    queryFn: async ({ signal }) => ask(scope, '/v1/env/search', { query: part, limit: limits.searchResults }, signal),
    placeholderData: keepPreviousData,
  })
