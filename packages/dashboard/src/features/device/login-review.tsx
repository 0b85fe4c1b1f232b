import { useMutation, useQuery } from '@tanstack/react-query'
import { Button, Group } from '@mantine/core'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import { codeOf } from '../../service/errors.ts'
import { Notice } from '../../ui/notice.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { approveLogin, denyLogin, showLogin } from './device.ts'
import { LoginDecision } from './login-decision.tsx'
import { labels } from './labels.ts'

interface LoginReviewProps {
  readonly userCode: string
  /** Goes back to the entry of a code. */
  readonly onRestart: () => void
}

/** Returns whether nothing is left to decide. */
function isOver(error: Error | null): boolean {
  return ['DEVICE_CODE_NOT_FOUND', 'DEVICE_CODE_EXPIRED'].includes(codeOf(error))
}

/** Minimum wait before the next request, for a browser whose clock is ahead of the service. */
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
    refetchOnWindowFocus: 'always',
    // Asks when the code expires, because the service decides whether it has.
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
      <Page title={labels.looking}>
        <Loading />
      </Page>
    )
  }
  return <LoginDecision login={login.data} userCode={userCode} approve={approve} deny={deny} error={decisionError} />
}

interface LoginOutcomeProps {
  readonly outcome: keyof typeof labels.outcomes
}

function LoginOutcome({ outcome }: LoginOutcomeProps) {
  const { title, text } = labels.outcomes[outcome]
  return (
    <Page title={title}>
      <Notice kind={outcome === 'approved' ? 'success' : 'info'}>{text}</Notice>
      <TextLink to="/">{labels.goHome}</TextLink>
    </Page>
  )
}

interface LoginProblemProps {
  readonly error: Error
  readonly userCode: string
  readonly onRetry: () => void
  readonly onRestart: () => void
}

/** Shows what is wrong with the code or the person instead of a login, and the next step. */
function LoginProblem({ error, userCode, onRetry, onRestart }: LoginProblemProps) {
  const code = codeOf(error)
  return (
    <Page title={labels.problems[code] ?? labels.otherProblem}>
      <ErrorNotice error={error} />
      <Group grow>
        {code === 'ORG_SCOPE_INVALID' && (
          <ButtonLink to="/organizations" state={{ returnTo: `/device#user_code=${userCode}` }}>
            {labels.chooseOrganization}
          </ButtonLink>
        )}
        {!code.startsWith('DEVICE_CODE') && (
          <Button variant="default" onClick={onRetry}>
            {labels.tryAgain}
          </Button>
        )}
        <Button variant="default" onClick={onRestart}>
          {labels.otherCode}
        </Button>
      </Group>
    </Page>
  )
}
