import type { Response } from '@rollkey/contract'
import { queryOptions } from '@tanstack/react-query'
import { accessToken } from './access-token.ts'
import { get } from '../service/api.ts'
import type { Scope } from './scope.ts'

/** Who the service takes the viewer for, and their role, whichever the identity provider. */
export const whoamiQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['whoami', scope.orgSlug],
    queryFn: async (): Promise<Response<'whoami'>> => get('/v1/whoami', await accessToken(scope)),
  })
