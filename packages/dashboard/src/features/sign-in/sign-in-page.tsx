import { useMutation } from '@tanstack/react-query'
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent } from 'react'
import { useLocation } from '@tanstack/react-router'
import { type EmbeddedSettings, type ExternalSettings, useSettings } from '../../session/settings.ts'
import { BusyButton, ButtonLink, TextLink } from '../../ui/buttons.tsx'
import { documentationUrl } from '../../ui/labels.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { useReturnPath } from '../../session/return-path.ts'
import { SignInRefused, startExternalSignIn } from '../../session/external-sign-in.ts'
import { useViewerChange } from '../../session/viewer.ts'
import { canFillPasskeys, hasPasskeySupport, signInWithPasskey } from '../../data/account.ts'
import { CompanyFailure, CompanySignIn } from '../../parts/sign-in/company.tsx'
import { PasskeyButton, PasswordForm } from '../../parts/sign-in/password-form.tsx'
import { ForgottenPassword } from './forgotten-password.tsx'
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
  const email = useLocation({ select: ({ state }) => state.email })
  const viewerChanged = useViewerChange()
  const onSignedIn = (): Promise<void> => viewerChanged(path)
  usePasskeyAutofill(settings.passkeys, onSignedIn)
  return (
    <Page title={labels.signIn.title} startsInField>
      <Stack>
        <CompanyFailure />
        <CompanySignIn next={path} />
        <PasswordForm knownEmail={email} onSignedIn={onSignedIn} />
        {settings.passkeys && hasPasskeySupport() && <PasskeyButton onSignedIn={onSignedIn} />}
      </Stack>
      {settings.mailsResets === true && <ForgottenPassword />}
      <HowToGetAnAccount settings={settings} />
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
  readonly settings: EmbeddedSettings
}

function HowToGetAnAccount({ settings: { signUp, mailsResets } }: HowToGetAnAccountProps) {
  const state = useLocation({ select: (location) => location.state })
  return (
    <Stack gap="xs">
      <Text size="sm">
        {signUp === 'invitation' ? (
          labels.signIn.byInvitation
        ) : (
          <>
            {labels.signIn.noAccount}{' '}
            <TextLink to="/sign-up" state={state}>
              {labels.signIn.createOne}
            </TextLink>
            .
          </>
        )}
      </Text>
      {mailsResets !== true && <PasswordReset />}
    </Stack>
  )
}

/** Says who makes a link that sets a new password: without another owner, the operator. */
function PasswordReset() {
  return (
    <Text size="sm">
      {labels.signIn.passwordReset} {labels.signIn.operatorReset}{' '}
      <Anchor inherit href={`${documentationUrl}rollkey-server#reset-link`}>
        <code>{labels.signIn.resetCommand}</code>
      </Anchor>
      .
    </Text>
  )
}

/** Ends the window of a confirmation, or says what to do where the browser keeps it open. */
export function HandedOver() {
  useEffect(() => globalThis.close(), [])
  return <Page title={labels.handedOver.title} lead={labels.handedOver.text} />
}

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
