import type { Place, Verb } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { manages } from '../../lib/roles.ts'
import { useMay, useMayAnywhere } from '../../session/permissions.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconProtected } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { useMembers } from '../../data/members.ts'
import { placeName } from '../../data/projects/labels.ts'
import { mayText } from '../../data/access/labels.ts'
import { CopyRequest, grantSearch } from './copy-request.tsx'
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
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton />
  if (at === 'anywhere' ? mayAnywhere : may(verb, at)) return children
  return (
    <EmptyState icon={IconProtected} title={labels.missing.title(what)}>
      <MissingVerb verb={verb} at={at} />
    </EmptyState>
  )
}

interface MissingVerbProps extends Pick<RequireVerbProps, 'verb' | 'at'> {
  /** What the place is called. @default its slugs */
  readonly name?: string
}

/** Says which verb is missing, and whom to ask, with a request to copy. Who manages the place gets a link that grants it. */
export function MissingVerb({ verb, at = {}, name: called }: MissingVerbProps) {
  const may = useMay()
  const { userId: person } = useViewer()
  const managers = useMembers().flatMap(({ role, user }) => (manages(role) ? user.name : []))
  const place = at === 'anywhere' ? labels.missing.somewhere : (called ?? placeName(at))
  const needed = labels.missing.text(verb, place)
  const request = { verb, at: at === 'anywhere' ? {} : at, person }
  if (at === 'anywhere' || at.projectSlug === undefined || !may('manage', at)) {
    return (
      <>
        {needed} {labels.missing.ask(managers)}
        <CopyRequest {...request} text={(link) => labels.request(mayText([verb]), place, link)} />
      </>
    )
  }
  return (
    <>
      {needed} {labels.missing.youManage}{' '}
      <TextLink
        from="/o/$orgSlug"
        to="./p/$projectSlug/access"
        params={{ projectSlug: at.projectSlug }}
        search={grantSearch(request)}
      >
        {labels.missing.grant}
      </TextLink>
    </>
  )
}
