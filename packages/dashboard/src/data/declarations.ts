/** What a project expects of its variables. */
import type { ListedDeclaration } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'

export const declarationsQuery = (scope: Scope, projectSlug: string) =>
  queryOptions({
    queryKey: ['declarations', scope.orgSlug, projectSlug],
    queryFn: async (): Promise<readonly ListedDeclaration[]> =>
      (await ask(scope, 'declarationList', { projectSlug })).declarations,
  })
