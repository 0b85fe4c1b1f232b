import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { useLinkParameter } from '../../../session/use-link-parameter.ts'
import { useSettings } from '../../../session/use-settings.ts'
import { InvitationReview } from './invitation-review.tsx'

export function InvitationPage() {
  const { provider } = useSettings()
  const id = useLinkParameter('id')
  if (provider === 'outside') {
    return <Page title="Invitation" lead="People of this service are invited at its identity provider. Ask there." />
  }
  if (id === undefined) {
    return (
      <Page title="Invitation">
        <Notice kind="warning" title="The link is incomplete">
          Open the whole link that you were given. If it does not work, ask whoever invited you for a new one.
        </Notice>
      </Page>
    )
  }
  return <InvitationReview key={id} id={id} />
}
