import type { Place, Verb } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { manages } from '../../lib/roles.ts'
import { useMay, useMayAnywhere } from '../../session/permissions.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconProtected } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { useMembers } from '../../data/members.ts'
import { placeName } from '../../data/projects/labels.ts'
import { labels } from './labels.ts'

interface RequireVerbProps {
  readonly verb: Verb
  /** Where it is needed. `anywhere`: at any place at all. @default the organization */
  readonly at?: Place | 'anywhere'
  /** What the content is for, such as "read the audit log". */
  readonly what: string
  readonly children: ReactNode
}

/** Shows its content to those who have the verb, and says to others what they need and whom to ask. */
export function RequireVerb({ verb, at = {}, what, children }: RequireVerbProps) {
  const { data, error } = useQuery(whoamiQuery(useScope()))
  const may = useMay()
  const mayAnywhere = useMayAnywhere(verb)
  const managers = useMembers().flatMap(({ role, user }) => (manages(role) ? user.name : []))
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton />
  if (at === 'anywhere' ? mayAnywhere : may(verb, at)) return children
  return (
    <EmptyState icon={IconProtected} title={labels.missing.title(what)}>
      {labels.missing.text(verb, at === 'anywhere' ? labels.missing.somewhere : placeName(at))}{' '}
      {labels.missing.ask(managers)}
    </EmptyState>
  )
}
