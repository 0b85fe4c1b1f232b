import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { labels } from './labels.ts'
import { CardLayout } from './shell/card-layout.tsx'
import { explain } from '../service/error-messages.ts'

interface ErrorPageProps {
  readonly error: unknown
}

/** Stands in place of a page that failed. */
export function ErrorPage({ error }: ErrorPageProps) {
  const router = useRouter()
  return (
    <CardLayout>
      <Page title={labels.failed.title}>
        <Notice kind="error">{explain(error)}</Notice>
        <Button onClick={() => void router.invalidate()}>{labels.failed.again}</Button>
      </Page>
    </CardLayout>
  )
}
