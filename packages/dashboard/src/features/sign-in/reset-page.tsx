import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useLinkParameter } from '../../session/use-link-parameter.ts'
import { resetQuery } from '../members/links.ts'
import { ResetForm } from './reset-form.tsx'
import { labels } from './labels.ts'

export function ResetPage() {
  const token = useLinkParameter('token')
  if (token !== undefined) return <Reset key={token} token={token} />
  return (
    <Page title={labels.reset.title}>
      <Notice kind="warning" title={labels.reset.incompleteTitle}>
        {labels.reset.incomplete}
      </Notice>
    </Page>
  )
}

function Reset({ token }: { readonly token: string }) {
  const { data, error } = useQuery(resetQuery(token))
  if (!data) return <Page title={labels.reset.title}>{error ? <ErrorNotice error={error} /> : <Loading />}</Page>
  return (
    <Page title={labels.reset.title} lead={labels.reset.lead(data.email)}>
      <ResetForm token={token} reset={data} />
    </Page>
  )
}
