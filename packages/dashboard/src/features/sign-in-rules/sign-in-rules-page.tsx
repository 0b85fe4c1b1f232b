import { Anchor, Button, Checkbox, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { type EmbeddedSettings, useSettings } from '../../session/settings.ts'
import type { Organization } from '../../session/viewer.ts'
import { documentationUrl } from '../../ui/labels.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { signInMethodsQuery, useMembers } from '../../data/members.ts'
import { labels } from './labels.ts'
import { setSignInRules, type SignInRules, signInRulesQuery } from '../../data/sign-in-rules.ts'

const { only: words } = labels

/** Shows how people sign in, and lets owners require that they do so at their company. */
export function SignInRulesPage() {
  const settings = useSettings()
  const { organization } = useScope()
  if (settings.provider !== 'embedded' || !organization) return <Page title={labels.title} lead={labels.external} />
  return (
    <Page title={labels.title} lead={labels.lead}>
      <RequireVerb verb="manage" what={labels.manage}>
        <Section title={labels.ways.title}>
          <Ways settings={settings} />
        </Section>
        <Section title={labels.joining.title}>
          <Joining />
        </Section>
        <Section title={words.title}>
          <CompanyOnly organization={organization} hasCompanies={settings.companies.length > 0} />
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

interface CompanyOnlyProps {
  readonly organization: Organization
  /** Whether the operator has set up a company's provider. */
  readonly hasCompanies: boolean
}

function CompanyOnly({ organization, hasCompanies }: CompanyOnlyProps) {
  const scope = useScope()
  const { data: self } = useQuery(whoamiQuery(scope))
  const members = useMembers()
  const nameOf = (id: string): string => members.find(({ userId }) => userId === id)?.user.name ?? id
  return (
    <QueryPart query={useQuery(signInRulesQuery(scope))} rows={2}>
      {(rules) => (
        <Stack gap="xs">
          <Text>{rules.isCompanyOnly ? words.on : words.off}</Text>
          {rules.isCompanyOnly && <Text>{words.except(rules.breakGlass.map((id) => nameOf(id)))}</Text>}
          {!hasCompanies && !rules.isCompanyOnly && <Text c="dimmed">{words.noCompany}</Text>}
          {self && self.role !== 'owner' && <Text c="dimmed">{words.onlyOwners}</Text>}
          {self?.role === 'owner' && (hasCompanies || rules.isCompanyOnly) && (
            <Change organization={organization} rules={rules} />
          )}
        </Stack>
      )}
    </QueryPart>
  )
}

interface ChangeProps {
  readonly organization: Organization
  readonly rules: SignInRules
}

function Change({ organization, rules }: ChangeProps) {
  const [asking, setAsking] = useState<'on' | 'off'>()
  const close = (): void => setAsking(undefined)
  return (
    <>
      <Group gap="xs">
        <Button variant="default" onClick={() => setAsking('on')}>
          {rules.isCompanyOnly ? words.change : words.turnOn}
        </Button>
        {rules.isCompanyOnly && (
          <Button variant="default" onClick={() => setAsking('off')}>
            {words.turnOff}
          </Button>
        )}
      </Group>
      <TurnOn organization={organization} rules={rules} opened={asking === 'on'} onClose={close} />
      <TurnOff opened={asking === 'off'} onClose={close} />
    </>
  )
}

interface DialogProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the rules, and says so. */
function useChangeRules(done: string, onClose: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (rules: Parameters<typeof setSignInRules>[1]) => setSignInRules(scope, rules),
    onSuccess: async () => {
      await queryClient.invalidateQueries(signInRulesQuery(scope))
      onClose()
      toast.success(done)
    },
  })
}

function TurnOn({ organization, rules, opened, onClose }: ChangeProps & DialogProps) {
  const { userId } = useScope()
  const members = useMembers()
  const { data: methods = [] } = useQuery({ ...signInMethodsQuery(organization.id), enabled: opened })
  const owners = members.filter(({ role }) => role === 'owner')
  const [chosen, setChosen] = useState<readonly string[]>(
    rules.isCompanyOnly ? rules.breakGlass : userId === undefined ? [] : [userId],
  )
  const [isMissing, setMissing] = useState(false)
  const change = useChangeRules(rules.isCompanyOnly ? words.changed : words.done, onClose)
  const without = members.filter(
    (member) =>
      !chosen.includes(member.userId) &&
      methods.some((each) => each.userId === member.userId && each.companies.length === 0),
  )
  const save = (): void => {
    setMissing(chosen.length === 0)
    if (chosen.length > 0) change.mutate({ isCompanyOnly: true, breakGlass: [...chosen] })
  }
  return (
    <ConfirmDialog
      title={rules.isCompanyOnly ? words.changeQuestion : words.question}
      label={rules.isCompanyOnly ? words.changeConfirm : words.confirm}
      isDangerous={false}
      mutation={{ mutate: save, error: change.error, isPending: change.isPending }}
      opened={opened}
      onClose={onClose}
    >
      <Stack>
        <Text>{words.consequences}</Text>
        {without.length > 0 && <Text>{words.without(without.map(({ user }) => user.name))}</Text>}
        <Checkbox.Group
          label={words.owners}
          description={words.ownersUse}
          error={isMissing && chosen.length === 0 && words.chooseOwner}
          value={[...chosen]}
          onChange={setChosen}
        >
          <Stack gap={6} mt={6}>
            {owners.map(({ userId: id, user }) => (
              <Checkbox key={id} value={id} label={`${user.name} (${user.email})`} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Stack>
    </ConfirmDialog>
  )
}

function TurnOff({ opened, onClose }: DialogProps) {
  const change = useChangeRules(words.offDone, onClose)
  return (
    <ConfirmDialog
      title={words.offQuestion}
      label={words.offConfirm}
      isDangerous={false}
      mutation={{
        mutate: () => change.mutate({ isCompanyOnly: false, breakGlass: [] }),
        error: change.error,
        isPending: change.isPending,
      }}
      opened={opened}
      onClose={onClose}
    >
      {words.offText}
    </ConfirmDialog>
  )
}
