import type { Session } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'
import { hasCode } from '../service/errors.ts'

/** How frequently to look for logins elsewhere while the page is visible. */
const refreshMs = 5_000

/** Reads CLI sessions. `everyone`: those of the whole organization, for owners and admins. */
export const clientSessionsQuery = (scope: Scope, everyone: boolean) =>
  queryOptions({
    queryKey: ['client-sessions', scope.orgSlug, everyone],
    queryFn: async (): Promise<readonly Session[]> => (await ask(scope, 'sessionList', { everyone })).sessions,
    refetchInterval: refreshMs,
  })

export async function revokeSession(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, 'sessionRevoke', { id }))
}

/** Waits for something to end. Ignores that someone else ended it first. */
export async function ended(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!hasCode(error, 'NOT_FOUND')) throw error
  }
}
