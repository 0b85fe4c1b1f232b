import { Group, Stack } from '@mantine/core'
import { shownUserCode } from '../../base/user-code.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useActivateOrganization } from '../../hooks/use-activate-organization.ts'
import { useViewer } from '../../hooks/viewer-context.ts'
import type { WaitingLogin } from '../../identity/device.ts'
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
  const activate = useActivateOrganization()
  const organization =
    viewer.provider === 'embedded' ? <BoundOrganization viewer={viewer} activate={activate} /> : login.orgSlug
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
          disabled={deny.isPending || activate.isPending}
          onClick={() => approve.mutate(login.orgSlug)}
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
