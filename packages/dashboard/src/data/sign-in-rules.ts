import type { Answer } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'

export type SignInRules = Omit<Answer<'signInRules'>, 'requestId'>

export const signInRulesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['sign-in-rules', scope.orgSlug],
    queryFn: (): Promise<SignInRules> => ask(scope, 'signInRules', {}),
  })

/** Changes those of the rules that are given. */
export async function setSignInRules(scope: Scope, rules: Partial<Omit<SignInRules, 'joining'>>): Promise<void> {
  await ask(scope, 'signInRulesSet', rules)
}
