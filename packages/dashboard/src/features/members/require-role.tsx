import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { manages } from '../../lib/roles.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'
import { useMembers } from './queries.ts'

interface RequireRoleProps {
  /** Explains to members who can see the content. */
  readonly text: string
  readonly children: ReactNode
}

/** Shows its content to owners and admins, and shows members whom to ask. */
export function RequireRole({ text, children }: RequireRoleProps) {
  const { data, error } = useQuery(whoamiQuery(useScope()))
  const managers = useMembers().flatMap(({ role, user }) => (manages(role) ? user.name : []))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  if (data.role !== undefined && manages(data.role)) return children
  return (
    <Notice kind="info">
      {text} {labels.askManagers(managers)}
    </Notice>
  )
}
