import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import type { Organization } from '../../session/viewer.ts'
import { ButtonLink } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { documentationUrl } from '../../ui/labels.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { type Member, signInMethodsQuery, useMembers } from '../../data/members.ts'
import { signInRulesQuery } from '../../data/sign-in-rules.ts'
import { labels } from './labels.ts'
import { useChangeRules } from './use-change-rules.ts'

const { factor: words } = labels

interface SecondFactorRuleProps {
  readonly organization: Organization
  /** Whether the operator has set up a company's provider. */
  readonly hasCompanies: boolean
}

/** Lets owners require that people sign in with more than a password, and shows who would have to change something. */
export function SecondFactorRule({ organization, hasCompanies }: SecondFactorRuleProps) {
  const scope = useScope()
  const { data: self } = useQuery(whoamiQuery(scope))
  const members = useMembers()
  const { data: methods } = useQuery(signInMethodsQuery(organization.id))
  const having = new Set(
    methods
      ?.filter(({ hasSecondFactor, hasPasskey, companies }) => hasSecondFactor || hasPasskey || companies.length > 0)
      .map(({ userId }) => userId),
  )
  const lacking = members.filter(({ userId }) => !having.has(userId))
  const isLacking = lacking.some(({ userId }) => userId === scope.userId)
  return (
    <QueryPart query={useQuery(signInRulesQuery(scope))} rows={2}>
      {({ needsSecondFactor }) => (
        <Stack gap="xs">
          <Text>
            {needsSecondFactor ? words.on(hasCompanies) : words.off}{' '}
            <Anchor href={`${documentationUrl}sign-in/second-factor`}>{words.whatCounts}</Anchor>
          </Text>
          {methods && <Text c="dimmed">{words.count(having.size, lacking.map(nameOf))}</Text>}
          {self && self.role !== 'owner' && <Text c="dimmed">{labels.onlyOwners}</Text>}
          {self?.role === 'owner' && methods && !needsSecondFactor && isLacking && <OwnFirst />}
          {self?.role === 'owner' && methods && (needsSecondFactor || !isLacking) && (
            <Change isOn={needsSecondFactor} lacking={lacking} />
          )}
        </Stack>
      )}
    </QueryPart>
  )
}

function nameOf({ user }: Member): string {
  return user.name
}

/** Leads owners who would lock themselves out to their account. */
function OwnFirst() {
  return (
    <>
      <Text>{words.ownFirst}</Text>
      <Group>
        <ButtonLink from="/o/$orgSlug" to="./account" variant="default">
          {words.toAccount}
        </ButtonLink>
      </Group>
    </>
  )
}

interface ChangeProps {
  readonly isOn: boolean
  readonly lacking: readonly Member[]
}

function Change({ isOn, lacking }: ChangeProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const change = useChangeRules(isOn ? words.offDone : words.done, close)
  return (
    <Group>
      <Button variant="default" onClick={open}>
        {isOn ? words.turnOff : words.turnOn}
      </Button>
      <ConfirmDialog
        title={isOn ? words.offQuestion : words.question}
        label={isOn ? words.offConfirm : words.confirm}
        isDangerous={false}
        mutation={{
          mutate: () => change.mutate({ needsSecondFactor: !isOn }),
          error: change.error,
          isPending: change.isPending,
        }}
        opened={isAsking}
        onClose={close}
      >
        {isOn ? (
          words.offText
        ) : (
          <Stack>
            <Text>{words.consequences}</Text>
            {lacking.length > 0 && <Text>{words.lacking(lacking.map(nameOf))}</Text>}
          </Stack>
        )}
      </ConfirmDialog>
    </Group>
  )
}
