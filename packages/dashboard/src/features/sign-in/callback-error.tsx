import { Anchor, Group } from '@mantine/core'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { SignInRefused } from '../../session/external-sign-in.ts'
import { labels } from './labels.ts'

interface CallbackErrorProps {
  readonly error: unknown
}

/** Shows why a sign-in at an external provider did not finish. */
export function CallbackError({ error }: CallbackErrorProps) {
  const refused = error instanceof SignInRefused ? error : undefined
  return (
    <Page title={labels.callback.title}>
      <ErrorNotice error={error} />
      <Group>
        <ButtonLink to="/sign-in" state={refused ? { returnTo: refused.returnTo } : {}}>
          {labels.callback.again}
        </ButtonLink>
        {refused && (
          <Anchor href={refused.providerUrl} rel="noreferrer">
            {labels.callback.provider}
          </Anchor>
        )}
      </Group>
    </Page>
  )
}
