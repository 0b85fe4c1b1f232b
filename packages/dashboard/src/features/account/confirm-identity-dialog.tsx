import { Modal, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { browserSessionsQuery } from './browser-sessions-client.ts'
import { forgetAccessTokens } from '../../session/access-token.ts'
import { hasPasskeySupport, passkeysQuery } from './passkeys-client.ts'
import { viewerKey, type EmbeddedViewer } from '../../session/viewer.ts'
import { PasskeyButton } from '../sign-in/passkey-button.tsx'
import { PasswordForm } from '../sign-in/password-form.tsx'

interface ConfirmationDialogProps {
  readonly viewer: EmbeddedViewer
  readonly opened: boolean
  readonly onClose: () => void
  /** Repeats what took the confirmation. */
  readonly onConfirmed: () => void
}

/** Has the viewer prove that it is them: by signing in again, which takes the place of their session. */
export function ConfirmationDialog({ viewer, opened, onClose, onConfirmed }: ConfirmationDialogProps) {
  const queryClient = useQueryClient()
  const { data: passkeys = [] } = useQuery(passkeysQuery(viewer.userId))
  const onSignedIn = async (): Promise<void> => {
    forgetAccessTokens()
    onClose()
    onConfirmed()
    // In the background, so that the page stays as it is.
    await queryClient.invalidateQueries({ queryKey: viewerKey })
    await queryClient.invalidateQueries(browserSessionsQuery(viewer.userId))
  }
  return (
    <Modal opened={opened} onClose={onClose} title="Confirm that it is you">
      <Stack>
        <Text>
          You signed in more than 15 minutes ago. Sign in again to go on, so that nobody else who uses this browser does
          it in your name.
        </Text>
        <PasswordForm fixedEmail={viewer.email} label="Confirm" onSignedIn={onSignedIn} />
        {passkeys.length > 0 && hasPasskeySupport() && <PasskeyButton onSignedIn={onSignedIn} />}
      </Stack>
    </Modal>
  )
}
