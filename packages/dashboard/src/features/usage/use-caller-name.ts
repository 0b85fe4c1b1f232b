import { useQuery } from '@tanstack/react-query'
import { serviceTokensQuery } from '../tokens/queries.ts'
import type { CallerUsage } from './callers.ts'
import { usePersonName } from '../members/use-person-name.ts'
import { useScope } from '../../session/use-scope.ts'

/** The name of whoever evaluated; the id of a service token that is over. */
export function useCallerName(): (usage: CallerUsage) => string {
  const personName = usePersonName()
  const { data: tokens = [] } = useQuery(serviceTokensQuery(useScope()))
  return ({ caller, how }) => {
    if (caller === undefined) return 'Not known: counted by an older version'
    return how === 'service' ? (tokens.find(({ id }) => id === caller)?.name ?? caller) : personName(caller)
  }
}
