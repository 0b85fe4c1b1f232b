import { useQuery } from '@tanstack/react-query'
import { membersQuery, type Member } from './queries.ts'
import { useScope } from '../../session/use-scope.ts'

/** The organization's people, as far as this service knows them: those of an outside provider it does not. */
export function useMembers(): readonly Member[] {
  const organizationId = useScope().organization?.id
  const { data } = useQuery({ ...membersQuery(organizationId ?? ''), enabled: organizationId !== undefined })
  return data ?? []
}
