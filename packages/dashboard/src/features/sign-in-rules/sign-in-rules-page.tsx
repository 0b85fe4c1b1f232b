import { Anchor, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useScope } from '../../session/scope.ts'
import { type EmbeddedSettings, useSettings } from '../../session/settings.ts'
import { documentationUrl } from '../../ui/labels.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { signInRulesQuery } from '../../data/sign-in-rules.ts'
import { CompanyOnly } from './company-only.tsx'
import { labels } from './labels.ts'
import { SecondFactorRule } from './second-factor-rule.tsx'

/** Shows how people sign in, and lets owners require a second factor, or that they do so at their company. */
export function SignInRulesPage() {
  const settings = useSettings()
  const { organization } = useScope()
  if (settings.provider !== 'embedded' || !organization) return <Page title={labels.title} lead={labels.external} />
  const hasCompanies = settings.companies.length > 0
  return (
    <Page title={labels.title} lead={labels.lead}>
      <RequireVerb verb="manage" what={labels.manage}>
        <Section title={labels.ways.title}>
          <Ways settings={settings} />
        </Section>
        <Section title={labels.joining.title}>
          <Joining />
        </Section>
        <Section title={labels.factor.title}>
          <SecondFactorRule organization={organization} hasCompanies={hasCompanies} />
        </Section>
        <Section title={labels.only.title}>
          <CompanyOnly organization={organization} hasCompanies={hasCompanies} />
        </Section>
      </RequireVerb>
    </Page>
  )
}

interface WaysProps {
  readonly settings: EmbeddedSettings
}

function Ways({ settings: { companies, passkeys } }: WaysProps) {
  const { ways } = labels
  return (
    <Stack gap="xs">
      <List>
        <List.Item>
          {ways.password}, {ways.secondFactor}
        </List.Item>
        {passkeys && <List.Item>{ways.passkey}</List.Item>}
        {companies.map(({ name, label }) => (
          <List.Item key={name}>{ways.company(label)}</List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        {ways.operator} <HowToSetUp />
      </Text>
    </Stack>
  )
}

/** Shows whose people join by themselves. */
function Joining() {
  const { joining: texts } = labels
  return (
    <QueryPart query={useQuery(signInRulesQuery(useScope()))} rows={1}>
      {({ joining }) =>
        joining.length === 0 ? (
          <Text>{texts.none}</Text>
        ) : (
          <List>
            {joining.map(({ label, domains, tenants, role }) => (
              <List.Item key={label}>{texts.of(label, [...domains, ...tenants], role)}</List.Item>
            ))}
          </List>
        )
      }
    </QueryPart>
  )
}

/** Leads to the page for the operator. */
function HowToSetUp() {
  return <Anchor href={`${documentationUrl}sign-in/`}>{labels.ways.how}</Anchor>
}
