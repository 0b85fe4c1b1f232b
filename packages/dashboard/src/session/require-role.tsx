import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { manages } from '../lib/roles.ts'
import { Loading } from '../ui/loading.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { useScope, whoamiQuery } from './scope.ts'

interface RequireRoleProps {
  /** Explains to members who can see the content. */
  readonly text: string
  readonly children: ReactNode
}

/** Returns whether the viewer is an owner or admin of the organization; false until it is known. */
export function useIsManager(): boolean {
  const { data } = useQuery(whoamiQuery(useScope()))
  return data?.role !== undefined && manages(data.role)
}

/** Shows its content to owners and admins, and shows members whom to ask. */
export function RequireRole({ text, children }: RequireRoleProps) {
  const { data, error } = useQuery(whoamiQuery(useScope()))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  if (data.role !== undefined && manages(data.role)) return children
  return <Notice kind="info">{text}</Notice>
}
