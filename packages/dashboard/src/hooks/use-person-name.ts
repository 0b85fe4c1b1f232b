import { useQuery } from '@tanstack/react-query'
import { membersQuery } from '../identity/members.ts'
import { useViewer } from './viewer-context.ts'

/** The names of the organization's people by their ids; the id where there is no name. */
export function usePersonName(): (userId: string) => string {
  const viewer = useViewer()
  const organizationId = viewer.provider === 'embedded' ? viewer.organization?.id : undefined
  const { data } = useQuery({ ...membersQuery(organizationId ?? ''), enabled: organizationId !== undefined })
  return (userId) => data?.find((member) => member.userId === userId)?.user.name ?? userId
}
