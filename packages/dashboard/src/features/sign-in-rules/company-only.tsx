import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import type { Organization } from '../../session/viewer.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { signInMethodsQuery, useMembers } from '../../data/members.ts'
import { type SignInRules, signInRulesQuery } from '../../data/sign-in-rules.ts'
import { labels } from './labels.ts'
import { useChangeRules } from './use-change-rules.ts'

const { only: words } = labels

interface CompanyOnlyProps {
  readonly organization: Organization
  /** Whether the operator has set up a company's provider. */
  readonly hasCompanies: boolean
}

/** Lets owners require that people sign in at their company. */
export function CompanyOnly({ organization, hasCompanies }: CompanyOnlyProps) {
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
          {self && self.role !== 'owner' && <Text c="dimmed">{labels.onlyOwners}</Text>}
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
        mutate: () => change.mutate({ isCompanyOnly: false }),
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
