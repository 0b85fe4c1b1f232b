import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../../ui/loading.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useLinkParameter } from '../../../session/use-link-parameter.ts'
import { resetQuery } from '../../members/links.ts'
import { ResetForm } from './reset-form.tsx'

const title = 'Set a new password'

export function ResetPage() {
  const token = useLinkParameter('token')
  if (token !== undefined) return <Reset key={token} token={token} />
  return (
    <Page title={title}>
      <Notice kind="warning" title="The link is incomplete">
        Open the whole link that you were given. For a new one, ask an owner or admin of your organization.
      </Notice>
    </Page>
  )
}

function Reset({ token }: { readonly token: string }) {
  const { data, error } = useQuery(resetQuery(token))
  if (!data) return <Page title={title}>{error ? <ErrorNotice error={error} /> : <Loading />}</Page>
  return (
    <Page title={title} lead={`For the account of ${data.email}. You will be signed out of all browsers.`}>
      <ResetForm token={token} reset={data} />
    </Page>
  )
}
