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
import { startExternalSignIn } from '../../session/external-sign-in.ts'
import type { EmbeddedSettings, ExternalSettings } from '../../session/settings.ts'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { canFillPasskeys, hasPasskeySupport, signInWithPasskey } from '../account/passkey-queries.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { PasswordForm } from './password-form.tsx'
import { labels } from './labels.ts'

export function SignInPage() {
  const settings = useSettings()
  return settings.provider === 'embedded' ? (
    <EmbeddedSignIn settings={settings} />
  ) : (
    <ExternalSignIn settings={settings} />
  )
}

interface ExternalSignInProps {
  readonly settings: ExternalSettings
}

function ExternalSignIn({ settings }: ExternalSignInProps) {
  const path = useReturnPath()
  const start = useMutation({ mutationFn: () => startExternalSignIn(path) })
  if (!settings.signIn) {
    return (
      <Page title={labels.signIn.title}>
        <Notice kind="warning" title={labels.signIn.externalMissingTitle}>
          {labels.signIn.externalMissing}
        </Notice>
      </Page>
    )
  }
  return (
    <Page title={labels.signIn.title} lead={labels.signIn.external}>
      <ErrorNotice error={start.error} />
      <BusyButton isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        {labels.signIn.externalSubmit}
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
    <Page title={labels.signIn.title}>
      <Stack>
        <PasswordForm onSignedIn={onSignedIn} />
        {settings.passkeys && hasPasskeySupport() && <PasskeyButton onSignedIn={onSignedIn} />}
      </Stack>
      <HowToGetAnAccount signUp={settings.signUp} />
    </Page>
  )
}

/** Lets the browser offer passkeys in the email field. Ignores failures, because the person did not start it. */
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
  if (signUp === 'invitation') return <Text size="sm">{labels.signIn.byInvitation}</Text>
  return (
    <Text size="sm">
      {labels.signIn.noAccount}{' '}
      <TextLink to="/sign-up" state={state}>
        {labels.signIn.createOne}
      </TextLink>
      . {labels.signIn.passwordReset}
    </Text>
  )
}
