import { useViewer } from '../../session/viewer-context.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { OrganizationChoice } from './organization-choice.tsx'

export function OrganizationsPage() {
  const viewer = useViewer()
  if (viewer.provider === 'embedded') return <OrganizationChoice viewer={viewer} />
  return (
    <Page
      title="Organizations"
      lead="The organization that you act in is chosen at your identity provider when you sign in. For another one, switch there, then sign in here again."
    >
      <ButtonLink to="/">Go to the start page</ButtonLink>
    </Page>
  )
}
