import type { Answer } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'

export type SignInRules = Omit<Answer<'signInRules'>, 'requestId'>

export const signInRulesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['sign-in-rules', scope.orgSlug],
    queryFn: (): Promise<SignInRules> => ask(scope, 'signInRules', {}),
  })

export async function setSignInRules(
  scope: Scope,
  { isCompanyOnly, breakGlass }: Pick<SignInRules, 'isCompanyOnly' | 'breakGlass'>,
): Promise<void> {
  await ask(scope, 'signInRulesSet', { isCompanyOnly, breakGlass })
}
