import { Page } from '../../components/page.tsx'
import { useViewer } from '../../hooks/viewer-context.ts'
import { OrganizationMembers } from './organization-members.tsx'

export function MembersPage() {
  const viewer = useViewer()
  if (viewer.provider === 'embedded' && viewer.organization) {
    return <OrganizationMembers viewer={viewer} organization={viewer.organization} />
  }
  return (
    <Page
      title="Members"
      lead="People are managed at your identity provider: who may sign in there to this organization is a member here."
    />
  )
}
