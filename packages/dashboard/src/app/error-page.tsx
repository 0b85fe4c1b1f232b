import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { CardLayout } from './shell/card-layout.tsx'
import { explain } from '../service/error-messages.ts'

interface ErrorPageProps {
  readonly error: unknown
}

/** In place of a page that could not be made. */
export function ErrorPage({ error }: ErrorPageProps) {
  const router = useRouter()
  return (
    <CardLayout>
      <Page title="This page cannot be shown">
        <Notice kind="error">{explain(error)}</Notice>
        <Button onClick={() => void router.invalidate()}>Try again</Button>
      </Page>
    </CardLayout>
  )
}
