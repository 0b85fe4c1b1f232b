import { useMutation, useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import { approveLogin, denyLogin, showLogin } from './device.ts'
import { Problem } from '../../service/problem.ts'
import { LoginDecision } from './login-decision.tsx'
import { LoginOutcome } from './login-outcome.tsx'
import { LoginProblem } from './login-problem.tsx'

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
