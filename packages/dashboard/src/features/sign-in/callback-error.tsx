import { Anchor, Group } from '@mantine/core'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { SignInRefused } from '../../session/external-sign-in.ts'

interface CallbackErrorProps {
  readonly error: unknown
}

/** After a sign-in at an outside provider that could not be finished. */
export function CallbackError({ error }: CallbackErrorProps) {
  const refused = error instanceof SignInRefused ? error : undefined
  return (
    <Page title="The sign-in was not finished">
      <ErrorNotice error={error} />
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
