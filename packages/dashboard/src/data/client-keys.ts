import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import type { ClientKey, ListedClientKey, Request } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'
import { ended } from './sessions.ts'

export type KeyRequest = Omit<Request<'keyCreate'>, 'orgSlug'>

/** Reads the client keys of the stages that the viewer manages. */
export const clientKeysQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['client-keys', scope.orgSlug],
    queryFn: async (): Promise<readonly ListedClientKey[]> =>
      (await ask(scope, 'keyList', {})).keys.map((key) => ({ ...key, name: withoutHiddenCharacters(key.name) })),
  })

export function createClientKey(scope: Scope, request: KeyRequest): Promise<ClientKey> {
  return ask(scope, 'keyCreate', request)
}

export async function revokeClientKey(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, 'keyRevoke', { id }))
}
