import { Button } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { use } from 'react'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { ScopeContext } from '../session/scope.ts'
import { explain, hasCode } from '../service/errors.ts'
import { ButtonLink } from '../ui/buttons.tsx'
import { labels } from './labels.ts'
import { CardLayout } from './shell/card-layout.tsx'

interface ErrorPageProps {
  readonly error: unknown
}

const retryIntervalMs = 3000

/** Takes the place of a page that failed; the navigation stays. Loads it again when the server that did not answer does. */
export function ErrorPage({ error }: ErrorPageProps) {
  const router = useRouter()
  const retry = (): void => {
    if (hasCode(error, 'UNREACHABLE')) void router.invalidate()
  }
  useInterval(retry, retryIntervalMs, { autoInvoke: true })
  const hasNavigation = use(ScopeContext) !== undefined
  const page = (
    <Page title={labels.failed.title}>
      <Notice kind="error">{explain(error)}</Notice>
      <div>
        <Button onClick={() => void router.invalidate()}>{labels.failed.again}</Button>
      </div>
    </Page>
  )
  return hasNavigation ? page : <CardLayout>{page}</CardLayout>
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

/** Takes the place of a page that an organization does not have. The navigation stays. */
export function NotFoundInOrganization() {
  return (
    <Page title={words.title} lead={words.text}>
      <div>
        <ButtonLink from="/o/$orgSlug" to=".">
          {words.overview}
        </ButtonLink>
      </div>
    </Page>
  )
}
