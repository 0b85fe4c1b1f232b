import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { useLinkParameter } from '../../hooks/use-link-parameter.ts'
import { ResetForm } from './reset-form.tsx'

export function ResetPage() {
  const token = useLinkParameter('token')
  return (
    <Page title="Set a new password">
      {token === undefined ? (
        <Notice kind="warning" title="The link is incomplete">
          Open the whole link that you were given. For a new one, ask an owner or admin of your organization.
        </Notice>
      ) : (
        <ResetForm token={token} />
      )}
    </Page>
  )
}
