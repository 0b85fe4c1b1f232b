import { Stack } from '@mantine/core'
import { Page } from '../../ui/page.tsx'
import { useReturnPath } from '../../session/use-return-path.ts'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { hasPasskeySupport } from '../account/passkeys-client.ts'
import type { EmbeddedSettings } from '../../session/settings.ts'
import { HowToGetAnAccount } from './how-to-get-an-account.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { PasswordForm } from './password-form.tsx'
import { usePasskeyAutofill } from './use-passkey-autofill.ts'

interface EmbeddedSignInProps {
  readonly settings: EmbeddedSettings
}

export function EmbeddedSignIn({ settings }: EmbeddedSignInProps) {
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
