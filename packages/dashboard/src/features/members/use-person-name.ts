import { useMembers } from './use-members.ts'

/** The names of the organization's people by their ids; the id where there is no name. */
export function usePersonName(): (userId: string) => string {
  const members = useMembers()
  return (userId) => members.find((member) => member.userId === userId)?.user.name ?? userId
}
