import { useMutation } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useReturnPath } from '../../session/use-return-path.ts'
import { startOutsideSignIn } from '../../session/external-sign-in.ts'
import type { OutsideSettings } from '../../session/settings.ts'

interface OutsideSignInProps {
  readonly settings: OutsideSettings
}

export function OutsideSignIn({ settings }: OutsideSignInProps) {
  const path = useReturnPath()
  const start = useMutation({ mutationFn: () => startOutsideSignIn(path) })
  if (!settings.signIn) {
    return (
      <Page title="Sign in">
        <Notice kind="warning" title="Signing in is not set up">
          The operator of this service has to register this application at the identity provider and set
          ROLLKEY_IDP_CLIENT_ID. If that is done already, the provider publishes no sign-in address.
        </Notice>
      </Page>
    )
  }
  return (
    <Page title="Sign in" lead="People of this service sign in at its identity provider.">
      <ProblemNotice error={start.error} />
      <BusyButton isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        Continue with your identity provider
      </BusyButton>
    </Page>
  )
}
