import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useOpenedOrganization } from '../hooks/use-opened-organization.ts'
import { ScopeContext } from '../hooks/use-scope.ts'
import { useViewer } from '../hooks/viewer-context.ts'
import { NotAMember } from '../pages/not-a-member/not-a-member.tsx'
import { OtherSignIn } from '../pages/not-a-member/other-sign-in.tsx'
import { scopeIn } from '../variables/scope.ts'
import { Shell } from './shell.tsx'

/** The pages of an organization, for those whose sign-in reaches it. Nothing of one shows in the pages of another. */
export function OrganizationRoute() {
  const { orgSlug } = useParams({ from: '/signed-in/o/$orgSlug' })
  const viewer = useViewer()
  const scope = useMemo(() => scopeIn(viewer, orgSlug), [viewer, orgSlug])
  useOpenedOrganization(scope?.organization)
  if (scope) {
    return (
      <ScopeContext value={scope}>
        <Shell key={orgSlug} />
      </ScopeContext>
    )
  }
  return viewer.provider === 'embedded' ? (
    <NotAMember orgSlug={orgSlug} viewer={viewer} />
  ) : (
    <OtherSignIn orgSlug={orgSlug} viewer={viewer} />
  )
}
