import type { Answer } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { connect } from '../service/connection.ts'
import { tokensOf } from './access-token.ts'
import type { Scope } from './scope.ts'

/** Who the service takes the viewer for, and their role, whichever the identity provider. */
export const whoamiQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['whoami', scope.orgSlug],
    queryFn: async (): Promise<Answer<'whoami'>> => connect(tokensOf(scope)).call('whoami', {}),
  })
