import { Button, Group } from '@mantine/core'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { Problem } from '../../service/problem.ts'

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
export function LoginProblem({ error, userCode, onRetry, onRestart }: LoginProblemProps) {
  const code = error instanceof Problem ? error.code : ''
  return (
    <Page title={titles[code] ?? 'The code cannot be looked up'}>
      <ProblemNotice error={error} />
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
