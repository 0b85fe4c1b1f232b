import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { explain } from '../service/errors.ts'
import { ButtonLink } from '../ui/buttons.tsx'
import { labels } from './labels.ts'
import { CardLayout } from './shell/card-layout.tsx'

interface ErrorPageProps {
  readonly error: unknown
}

/** Takes the place of a page that failed. */
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

const { notFound: words } = labels

export function NotFoundPage() {
  return (
    <CardLayout>
      <Page title={words.title} lead={words.text}>
        <ButtonLink to="/">{words.home}</ButtonLink>
      </Page>
    </CardLayout>
  )
}
