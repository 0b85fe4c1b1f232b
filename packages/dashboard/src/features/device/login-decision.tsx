import { Group, List, NativeSelect, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Organization } from '../../session/viewer.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { UntrustedText } from '../../ui/untrusted-text.tsx'
import { shownUserCode } from './user-code.ts'
import type { WaitingLogin } from './device.ts'
import classes from './device.module.css'

interface LoginDecisionProps {
  readonly login: WaitingLogin
  readonly userCode: string
  readonly approve: { mutate(orgSlug: string): void; readonly isPending: boolean }
  readonly deny: { mutate(): void; readonly isPending: boolean }
  /** Of the last attempt to approve or deny. */
  readonly error: Error | null
}

export function LoginDecision({ login, userCode, approve, deny, error }: LoginDecisionProps) {
  const viewer = useViewer()
  const organizations = viewer.provider === 'embedded' ? viewer.organizations : []
  const [chosen, setChosen] = useState<string>()
  const orgSlug = organizations.length < 2 ? login.orgSlug : chosen
  const organization =
    viewer.provider === 'embedded' ? (
      <BoundOrganization organizations={organizations} value={orgSlug} onChange={setChosen} />
    ) : (
      login.orgSlug
    )
  return (
    <Page title="Approve this login?">
      <Stack gap={4}>
        <span id="code-label">Your device must show this code:</span>
        <div className={classes['code']} role="group" aria-labelledby="code-label">
          {shownUserCode(userCode)}
        </div>
      </Stack>
      <LoginFacts login={login} organization={organization} />
      <ApprovalWarning />
      <ErrorNotice error={error} />
      <Group grow>
        <BusyButton
          isBusy={approve.isPending}
          disabled={deny.isPending || orgSlug === undefined}
          onClick={() => orgSlug !== undefined && approve.mutate(orgSlug)}
        >
          Approve
        </BusyButton>
        <BusyButton
          color="red"
          variant="outline"
          isBusy={deny.isPending}
          disabled={approve.isPending}
          onClick={() => deny.mutate()}
        >
          Deny
        </BusyButton>
      </Group>
    </Page>
  )
}

function ApprovalWarning() {
  return (
    <Notice kind="warning" title="Approve only a login that you started yourself">
      <List spacing={6}>
        <List.Item>You started it just now, on a device that you control, and that device shows this code.</List.Item>
        <List.Item>Whoever holds this code gets access to the organization in your name.</List.Item>
        <List.Item>
          Nobody from support will ever ask you for a code, or to approve one. If somebody did, deny it.
        </List.Item>
      </List>
    </Notice>
  )
}

interface BoundOrganizationProps {
  readonly organizations: readonly Organization[]
  /** Slug of the chosen one; undefined: none yet. */
  readonly value: string | undefined
  readonly onChange: (orgSlug: string) => void
}

/** The organization that an approval binds the client to. Where there are several, none is taken for granted. */
function BoundOrganization({ organizations, value, onChange }: BoundOrganizationProps) {
  if (organizations.length < 2) return <strong>{organizations[0]?.name}</strong>
  return (
    <NativeSelect
      aria-label="Organization"
      value={value ?? ''}
      data={[
        { value: '', label: 'Choose an organization', disabled: true },
        ...organizations.map(({ slug, name }) => ({ value: slug, label: name })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface LoginFactsProps {
  readonly login: WaitingLogin
  /** Its name, or the choice of another one. */
  readonly organization: ReactNode
}

function LoginFacts({ login: { clientName, requestedAtMs, expiresAtMs }, organization }: LoginFactsProps) {
  const client = clientName === undefined ? 'A client without a name' : <UntrustedText>{clientName}</UntrustedText>
  return (
    <DescriptionList
      facts={{
        'Client (it chose this name itself)': client,
        'Gets access to the organization': organization,
        'Asked for': <TimeText ms={requestedAtMs} />,
        Expires: <TimeText ms={expiresAtMs} />,
      }}
    />
  )
}
