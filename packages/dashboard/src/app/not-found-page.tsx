import { ButtonLink } from '../ui/button-link.tsx'
import { Page } from '../ui/page.tsx'
import { labels } from './labels.ts'
import { CardLayout } from './shell/card-layout.tsx'

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
