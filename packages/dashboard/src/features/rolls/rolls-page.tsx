import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'

export function RollsPage() {
  return (
    <Page title="Rolls" lead="Each roll has a page, which its variable in the project's table leads to.">
      <TextLink from="/o/$orgSlug" to="./projects">
        Choose a project
      </TextLink>
    </Page>
  )
}
