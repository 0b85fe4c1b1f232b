/** Sessions of command-line clients. */
import type { Response } from '@rollkey/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { ended } from './ended.ts'

export type ClientSession = Response<'sessionList'>['sessions'][number]

/** So often a login elsewhere is looked for while the page is seen. */
const refreshMs = 5_000

/** `everyone`: of the whole organization, for owners and admins. */
export const clientSessionsQuery = (scope: Scope, everyone: boolean) =>
  queryOptions({
    queryKey: ['client-sessions', scope.orgSlug, everyone],
    queryFn: async (): Promise<readonly ClientSession[]> =>
      (await ask(scope, '/v1/sessions/list', { everyone })).sessions,
    refetchInterval: refreshMs,
  })

export async function revokeSession(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, '/v1/sessions/revoke', { id }))
}
