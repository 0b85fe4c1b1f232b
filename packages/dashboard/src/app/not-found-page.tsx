import { ButtonLink } from '../ui/button-link.tsx'
import { Page } from '../ui/page.tsx'
import { CardLayout } from './shell/card-layout.tsx'

export function NotFoundPage() {
  return (
    <CardLayout>
      <Page title="Page not found" lead="There is no page at this address. Check it, or begin at the start page.">
        <ButtonLink to="/">Go to the start page</ButtonLink>
      </Page>
    </CardLayout>
  )
}
