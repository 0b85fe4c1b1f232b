import type { ListedServiceToken } from '@rollkey/contract'
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'
import { ended } from './sessions.ts'
import type { Request } from '@rollkey/sdk/core'

export type TokenRequest = Omit<Request<'tokenCreate'>, 'orgSlug'>

/** Reads the service tokens, for owners and admins. */
export const serviceTokensQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['service-tokens', scope.orgSlug],
    queryFn: async (): Promise<readonly ListedServiceToken[]> =>
      (await ask(scope, 'tokenList', {})).tokens.map((token) => ({
        ...token,
        name: withoutHiddenCharacters(token.name),
      })),
  })

/** Returns the token itself, which no one can see again. */
export async function createServiceToken(scope: Scope, request: TokenRequest) {
  const { id, token } = await ask(scope, 'tokenCreate', request)
  return { id, token }
}

/** Replaces the secret of a token, and returns the new one, which no one can see again, with the end of the former one. */
export async function rotateServiceToken(
  scope: Scope,
  id: string,
  rotation: { readonly overlapHours: number; readonly expiresInDays: number },
) {
  const { token, formerExpiresAtMs } = await ask(scope, 'tokenRotate', { id, ...rotation })
  return { token, formerExpiresAtMs }
}

export async function revokeServiceToken(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, 'tokenRevoke', { id }))
}
