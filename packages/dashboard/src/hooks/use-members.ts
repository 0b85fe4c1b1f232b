import { useQuery } from '@tanstack/react-query'
import { membersQuery, type Member } from '../identity/members.ts'
import { useViewer } from './viewer-context.ts'

/** The organization's people, as far as this service knows them: those of an outside provider it does not. */
export function useMembers(): readonly Member[] {
  const viewer = useViewer()
  const organizationId = viewer.provider === 'embedded' ? viewer.organization?.id : undefined
  const { data } = useQuery({ ...membersQuery(organizationId ?? ''), enabled: organizationId !== undefined })
  return data ?? []
}
