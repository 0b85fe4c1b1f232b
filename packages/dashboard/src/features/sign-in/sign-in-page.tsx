import { useMutation } from '@tanstack/react-query'
import { Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent } from 'react'
import { useLocation } from '@tanstack/react-router'
import { useSettings } from '../../session/use-settings.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useReturnPath } from '../../session/use-return-path.ts'
import { startOutsideSignIn } from '../../session/external-sign-in.ts'
import type { EmbeddedSettings, OutsideSettings } from '../../session/settings.ts'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { canFillPasskeys, hasPasskeySupport, signInWithPasskey } from '../account/passkeys-client.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { PasswordForm } from './password-form.tsx'

export function SignInPage() {
  const settings = useSettings()
  return settings.provider === 'embedded' ? (
    <EmbeddedSignIn settings={settings} />
  ) : (
    <OutsideSignIn settings={settings} />
  )
}

interface OutsideSignInProps {
  readonly settings: OutsideSettings
}

function OutsideSignIn({ settings }: OutsideSignInProps) {
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
      <ErrorNotice error={start.error} />
      <BusyButton isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        Continue with your identity provider
      </BusyButton>
    </Page>
  )
}

interface EmbeddedSignInProps {
  readonly settings: EmbeddedSettings
}

function EmbeddedSignIn({ settings }: EmbeddedSignInProps) {
  const path = useReturnPath()
  const viewerChanged = useViewerChange()
  const onSignedIn = (): Promise<void> => viewerChanged(path)
  usePasskeyAutofill(settings.passkeys, onSignedIn)
  return (
    <Page title="Sign in">
      <Stack>
        <PasswordForm onSignedIn={onSignedIn} />
        {settings.passkeys && hasPasskeySupport() && <PasskeyButton onSignedIn={onSignedIn} />}
      </Stack>
      <HowToGetAnAccount signUp={settings.signUp} />
    </Page>
  )
}

/** Lets the browser offer passkeys where the email is typed. What fails is left alone: nobody asked for it. */
function usePasskeyAutofill(isEnabled: boolean, onSignedIn: () => Promise<void>): void {
  const signedIn = useEffectEvent(onSignedIn)
  useEffect(() => {
    let isShown = true
    const offer = async (): Promise<void> => {
      if (!isEnabled || !(await canFillPasskeys()) || !isShown) return
      await signInWithPasskey(true)
      if (isShown) await signedIn()
    }
    offer().catch(() => undefined)
    return () => {
      isShown = false
    }
  }, [isEnabled])
}

interface HowToGetAnAccountProps {
  readonly signUp: EmbeddedSettings['signUp']
}

function HowToGetAnAccount({ signUp }: HowToGetAnAccountProps) {
  const state = useLocation({ select: (location) => location.state })
  const reset = 'Password forgotten? An owner or admin of your organization can give you a link to set a new one.'
  if (signUp === 'invitation') {
    return (
      <Text size="sm">No account yet? Accounts are made by invitation: ask an owner or admin for a link. {reset}</Text>
    )
  }
  return (
    <Text size="sm">
      No account yet?{' '}
      <TextLink to="/sign-up" state={state}>
        Create one
      </TextLink>
      . {reset}
    </Text>
  )
}
