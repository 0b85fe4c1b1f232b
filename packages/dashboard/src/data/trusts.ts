import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import type { Answer, Request, Trust } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'
import { ended } from './sessions.ts'

export type TrustRequest = Omit<Request<'trustCreate'>, 'orgSlug'>
export type TrustChanges = Omit<Request<'trustUpdate'>, 'orgSlug' | 'id'>
export type TrustTest = Answer<'trustTest'>

/** Reads the trusts whose scope the viewer manages. */
export const trustsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['trusts', scope.orgSlug],
    queryFn: async (): Promise<readonly Trust[]> =>
      (await ask(scope, 'trustList', {})).trusts.map((trust) => ({
        ...trust,
        name: withoutHiddenCharacters(trust.name),
      })),
  })

export function createTrust(scope: Scope, request: TrustRequest): Promise<Trust> {
  return ask(scope, 'trustCreate', request)
}

export function updateTrust(scope: Scope, id: string, changes: TrustChanges): Promise<Trust> {
  return ask(scope, 'trustUpdate', { id, ...changes })
}

export async function deleteTrust(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, 'trustDelete', { id }))
}

/** Compares a token with a trust. The service neither stores nor logs it. */
export function testToken(scope: Scope, id: string, token: string): Promise<TrustTest> {
  return ask(scope, 'trustTest', { id, token })
}
