import { Page } from '../../ui/page.tsx'
import { useScope } from '../../session/use-scope.ts'
import { useViewer } from '../../session/viewer-context.ts'
import { OrganizationMembers } from './organization-members.tsx'

export function MembersPage() {
  const viewer = useViewer()
  const { organization } = useScope()
  if (viewer.provider === 'embedded' && organization) {
    return <OrganizationMembers viewer={viewer} organization={organization} />
  }
  return (
    <Page
      title="Members"
      lead="People are managed at your identity provider: who may sign in there to this organization is a member here."
    />
  )
}
