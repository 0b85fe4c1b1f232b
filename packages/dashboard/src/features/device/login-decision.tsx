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
import { labels } from './labels.ts'

interface LoginDecisionProps {
  readonly login: WaitingLogin
  readonly userCode: string
  readonly approve: { mutate(orgSlug: string): void; readonly isPending: boolean }
  readonly deny: { mutate(): void; readonly isPending: boolean }
  /** The error of the last attempt to approve or deny. */
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
    <Page title={labels.decision.title}>
      <Stack gap={4}>
        <span id="code-label">{labels.decision.code}</span>
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
          {labels.decision.approve}
        </BusyButton>
        <BusyButton
          color="red"
          variant="outline"
          isBusy={deny.isPending}
          disabled={approve.isPending}
          onClick={() => deny.mutate()}
        >
          {labels.decision.deny}
        </BusyButton>
      </Group>
    </Page>
  )
}

function ApprovalWarning() {
  return (
    <Notice kind="warning" title={labels.decision.warning}>
      <List spacing={6}>
        {labels.decision.warnings.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Notice>
  )
}

interface BoundOrganizationProps {
  readonly organizations: readonly Organization[]
  /** Slug of the chosen one, if any. */
  readonly value: string | undefined
  readonly onChange: (orgSlug: string) => void
}

/** The organization that the client gets access to. If there are several, none is preselected. */
function BoundOrganization({ organizations, value, onChange }: BoundOrganizationProps) {
  if (organizations.length < 2) return <strong>{organizations[0]?.name}</strong>
  return (
    <NativeSelect
      aria-label={labels.decision.organization}
      value={value ?? ''}
      data={[
        { value: '', label: labels.decision.chooseOrganization, disabled: true },
        ...organizations.map(({ slug, name }) => ({ value: slug, label: name })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface LoginFactsProps {
  readonly login: WaitingLogin
  /** Its name, or a select. */
  readonly organization: ReactNode
}

function LoginFacts({ login: { clientName, requestedAtMs, expiresAtMs }, organization }: LoginFactsProps) {
  const client = clientName === undefined ? labels.decision.unnamed : <UntrustedText>{clientName}</UntrustedText>
  return (
    <DescriptionList
      facts={{
        [labels.decision.client]: client,
        [labels.decision.organization]: organization,
        [labels.decision.requested]: <TimeText ms={requestedAtMs} />,
        [labels.decision.expires]: <TimeText ms={expiresAtMs} />,
      }}
    />
  )
}
