import { Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { shownUserCode } from './user-code.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import type { WaitingLogin } from './device.ts'
import { ApprovalWarning } from './approval-warning.tsx'
import { BoundOrganization } from './bound-organization.tsx'
import classes from './device.module.css'
import { LoginFacts } from './login-facts.tsx'

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
      <ProblemNotice error={error} />
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
