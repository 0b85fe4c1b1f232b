import { useMutation, useQuery } from '@tanstack/react-query'
import { Button, Group } from '@mantine/core'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import { Problem } from '../../service/problem.ts'
import { Notice } from '../../ui/notice.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { approveLogin, denyLogin, showLogin } from './device.ts'
import { LoginDecision } from './login-decision.tsx'

interface LoginReviewProps {
  readonly userCode: string
  /** Goes back to enter another code. */
  readonly onRestart: () => void
}

/** After these there is nothing left to decide. */
function isOver(error: Error | null): boolean {
  return error instanceof Problem && ['DEVICE_CODE_NOT_FOUND', 'DEVICE_CODE_EXPIRED'].includes(error.code)
}

/** How long the service is not asked again where the clock of this browser is ahead of it. */
const leastWaitMs = 10_000

export function LoginReview({ userCode, onRestart }: LoginReviewProps) {
  const viewer = useViewer()
  const { provider } = viewer
  // Any organization of the viewer may look at the code, and deny it.
  const orgSlug = viewer.provider === 'outside' ? viewer.organization.slug : (viewer.organizations[0]?.slug ?? '')
  const login = useQuery({
    queryKey: ['device', userCode, orgSlug],
    queryFn: () => showLogin({ provider, orgSlug }, userCode),
    gcTime: 0,
    refetchOnWindowFocus: false,
    // When the code expires. Whether it has is for the service to say.
    refetchInterval: ({ state: { data, error } }) =>
      data && !error && Math.max(data.expiresAtMs - Date.now(), leastWaitMs),
    refetchIntervalInBackground: true,
  })
  const approve = useMutation({ mutationFn: (chosen: string) => approveLogin({ provider, orgSlug: chosen }, userCode) })
  const deny = useMutation({ mutationFn: () => denyLogin({ provider, orgSlug }, userCode) })

  if (approve.isSuccess) return <LoginOutcome outcome="approved" />
  if (deny.isSuccess) return <LoginOutcome outcome="denied" />
  const decisionError = approve.error ?? deny.error
  const error = login.error ?? (isOver(decisionError) ? decisionError : null)
  if (error) {
    return <LoginProblem error={error} userCode={userCode} onRetry={() => void login.refetch()} onRestart={onRestart} />
  }
  if (!login.data) {
    return (
      <Page title="Looking up the code">
        <Loading />
      </Page>
    )
  }
  return <LoginDecision login={login.data} userCode={userCode} approve={approve} deny={deny} error={decisionError} />
}

const outcomes = {
  approved: {
    title: 'Approved',
    text: 'Approved. Your device is signed in within a few seconds. You can close this window.',
  },
  denied: {
    title: 'Denied',
    text: 'Denied. The device gets no access. You can close this window.',
  },
}

interface LoginOutcomeProps {
  readonly outcome: keyof typeof outcomes
}

function LoginOutcome({ outcome }: LoginOutcomeProps) {
  const { title, text } = outcomes[outcome]
  return (
    <Page title={title}>
      <Notice kind={outcome === 'approved' ? 'success' : 'info'}>{text}</Notice>
      <TextLink to="/">Go to the start page</TextLink>
    </Page>
  )
}

interface LoginProblemProps {
  readonly error: Error
  readonly userCode: string
  readonly onRetry: () => void
  readonly onRestart: () => void
}

const titles: Readonly<Record<string, string>> = {
  DEVICE_CODE_NOT_FOUND: 'This code is not waiting',
  DEVICE_CODE_EXPIRED: 'This code has expired',
  RATE_LIMITED: 'Too many attempts',
  ORG_SCOPE_INVALID: 'You are not in this organization',
}

/** Instead of a login to decide on: what is wrong with the code or the person, and the way on. */
function LoginProblem({ error, userCode, onRetry, onRestart }: LoginProblemProps) {
  const code = error instanceof Problem ? error.code : ''
  return (
    <Page title={titles[code] ?? 'The code cannot be looked up'}>
      <ErrorNotice error={error} />
      <Group grow>
        {code === 'ORG_SCOPE_INVALID' && (
          <ButtonLink to="/organizations" state={{ returnTo: `/device#user_code=${userCode}` }}>
            Choose an organization
          </ButtonLink>
        )}
        {!code.startsWith('DEVICE_CODE') && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button variant="default" onClick={onRestart}>
          Enter another code
        </Button>
      </Group>
    </Page>
  )
}
