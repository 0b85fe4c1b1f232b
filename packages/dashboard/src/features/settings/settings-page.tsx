import { Switch, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { manages } from '../../lib/roles.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Section } from '../../ui/section.tsx'
import { useScope } from '../../session/use-scope.ts'
import { whoamiQuery } from '../../session/whoami.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { bytesText, countText } from '../../lib/numbers.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { type OrganizationSettings, organizationSettingsQuery, setCreatesOnWrite } from './queries.ts'

export function SettingsPage() {
  const scope = useScope()
  const settings = useQuery(organizationSettingsQuery(scope))
  const whoami = useQuery(whoamiQuery(scope))
  const error = settings.error ?? whoami.error
  if (!settings.data || !whoami.data) {
    return <Page title="Settings">{error ? <ErrorNotice error={error} /> : <Loading />}</Page>
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

interface PlanFactsProps {
  readonly plan: OrganizationSettings['plan']
}

const names: Readonly<Record<OrganizationSettings['plan']['name'], string>> = { unlimited: 'Unlimited', free: 'Free' }

const unlimited = 'No limit'

function PlanFacts({ plan: { name, evaluationsPerMonth, storageBytes } }: PlanFactsProps) {
  return (
    <DescriptionList
      facts={{
        Name: names[name],
        'Evaluations a month': evaluationsPerMonth === undefined ? unlimited : countText(evaluationsPerMonth),
        'Storage of all values': storageBytes === undefined ? unlimited : bytesText(storageBytes),
      }}
    />
  )
}

interface CreatesOnWriteProps {
  readonly createsOnWrite: boolean
  readonly mayChange: boolean
}

const effects = {
  on: 'Whoever sets a variable, say with rollkey set, creates the project and stage that it names, if they are not there yet.',
  off: 'Setting a variable in a project or stage that does not exist is refused, so a mistyped name creates nothing. People create them on the page Projects.',
}

function CreatesOnWrite({ createsOnWrite, mayChange }: CreatesOnWriteProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (creates: boolean) => setCreatesOnWrite(scope, creates),
    onSettled: () => queryClient.invalidateQueries(organizationSettingsQuery(scope)),
  })
  const isOn = change.isPending ? change.variables : createsOnWrite
  return (
    <>
      {mayChange && (
        <Switch
          label="Create them with the first variable"
          checked={isOn}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      )}
      <Text role="status">{isOn ? effects.on : effects.off}</Text>
      {!mayChange && <Text c="dimmed">Owners and admins of the organization can change this.</Text>}
      <ErrorNotice error={change.error} />
    </>
  )
}
