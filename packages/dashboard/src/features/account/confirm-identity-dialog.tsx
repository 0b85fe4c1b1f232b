import { Modal, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { forgetAccessTokens } from '../../session/access-token.ts'
import { type EmbeddedViewer, viewerKey } from '../../session/viewer.ts'
import { PasskeyButton, PasswordForm } from '../sign-in/password-form.tsx'
import { browserSessionsQuery, hasPasskeySupport, passkeysQuery } from './queries.ts'
import { labels } from './labels.ts'

interface ConfirmIdentityDialogProps {
  readonly viewer: EmbeddedViewer
  readonly opened: boolean
  readonly onClose: () => void
  /** Repeats what took the confirmation. */
  readonly onConfirmed: () => void
}

/** Has the viewer prove that it is them: by signing in again, which takes the place of their session. */
export function ConfirmIdentityDialog({ viewer, opened, onClose, onConfirmed }: ConfirmIdentityDialogProps) {
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
    <Modal opened={opened} onClose={onClose} title={labels.confirm.title}>
      <Stack>
        <Text>{labels.confirm.text}</Text>
        <PasswordForm fixedEmail={viewer.email} label={labels.confirm.submit} onSignedIn={onSignedIn} />
        {passkeys.length > 0 && hasPasskeySupport() && <PasskeyButton onSignedIn={onSignedIn} />}
      </Stack>
    </Modal>
  )
}
