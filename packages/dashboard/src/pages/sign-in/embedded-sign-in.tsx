import { Stack } from '@mantine/core'
import { Page } from '../../components/page.tsx'
import { useReturnPath } from '../../hooks/use-return-path.ts'
import { useViewerChange } from '../../hooks/use-viewer-change.ts'
import { hasPasskeySupport } from '../../identity/passkeys.ts'
import type { EmbeddedSettings } from '../../service/settings.ts'
import { HowToGetAnAccount } from './how-to-get-an-account.tsx'
import { PasskeyButton } from '../../components/passkey-button.tsx'
import { PasswordForm } from '../../components/password-form.tsx'
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
