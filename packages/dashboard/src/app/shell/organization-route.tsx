import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { UnsavedChangesProvider } from '../../features/changes/unsaved-changes.tsx'
import { NotAMember } from '../../features/organizations/not-a-member.tsx'
import { OtherSignIn } from '../../features/organizations/other-sign-in.tsx'
import { scopeIn } from '../../session/scope.ts'
import { useOpenedOrganization } from '../../session/use-opened-organization.ts'
import { ScopeContext } from '../../session/use-scope.ts'
import { useViewer } from '../../session/viewer-context.ts'
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
        {/* What a person collects must not reach another organization or another person. */}
        <UnsavedChangesProvider key={`${scope.userId}/${orgSlug}`}>
          <Shell />
        </UnsavedChangesProvider>
      </ScopeContext>
    )
  }
  return viewer.provider === 'embedded' ? (
    <NotAMember orgSlug={orgSlug} viewer={viewer} />
  ) : (
    <OtherSignIn orgSlug={orgSlug} viewer={viewer} />
  )
}
