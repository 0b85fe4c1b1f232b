import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { manages } from '../../base/roles.ts'
import { Loading } from '../../components/loading.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { useScope } from '../../hooks/use-scope.ts'
import { organizationSettingsQuery } from '../../organization/settings.ts'
import { whoamiQuery } from '../../organization/whoami.ts'
import { TextLink } from '../../components/text-link.tsx'
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
