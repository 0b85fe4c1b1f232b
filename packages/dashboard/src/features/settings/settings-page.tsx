import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { manages } from '../../lib/roles.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { Section } from '../../ui/section.tsx'
import { useScope } from '../../session/use-scope.ts'
import { organizationSettingsQuery } from './queries.ts'
import { whoamiQuery } from '../../session/whoami.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { CreatesOnWrite } from './creates-on-write.tsx'
import { PlanFacts } from './plan-facts.tsx'

export function SettingsPage() {
  const scope = useScope()
  const settings = useQuery(organizationSettingsQuery(scope))
  const whoami = useQuery(whoamiQuery(scope))
  const error = settings.error ?? whoami.error
  if (!settings.data || !whoami.data) {
    return <Page title="Settings">{error ? <ProblemNotice error={error} /> : <Loading />}</Page>
  }
  const { role } = whoami.data
  const { createsOnWrite, plan } = settings.data
  return (
    <Page title="Settings" lead="What holds for everybody in this organization.">
      <Section title="New projects and stages">
        <CreatesOnWrite createsOnWrite={createsOnWrite} mayChange={role !== undefined && manages(role)} />
      </Section>
      <Section title="Plan">
        <PlanFacts plan={plan} />
        <Text>
          <TextLink from="/o/$orgSlug" to="./usage">
            See what is used of it
          </TextLink>
        </Text>
      </Section>
    </Page>
  )
}
