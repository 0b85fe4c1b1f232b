import { Anchor, Group } from '@mantine/core'
import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { SignInRefused } from '../../identity/outside-sign-in.ts'

interface CallbackErrorProps {
  readonly error: unknown
}

/** After a sign-in at an outside provider that could not be finished. */
export function CallbackError({ error }: CallbackErrorProps) {
  const refused = error instanceof SignInRefused ? error : undefined
  return (
    <Page title="The sign-in was not finished">
      <ProblemNotice error={error} />
      <Group>
        <ButtonLink to="/sign-in" state={refused ? { returnTo: refused.returnTo } : {}}>
          Sign in again
        </ButtonLink>
        {refused && (
          <Anchor href={refused.providerUrl} rel="noreferrer">
            Open the identity provider
          </Anchor>
        )}
      </Group>
    </Page>
  )
}
