import { Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { needsConfirmation } from '../../service/errors.ts'
import { forgetAccessTokens } from '../../session/access-token.ts'
import { type EmbeddedViewer, useViewer, viewerKey } from '../../session/viewer.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { PasskeyButton, PasswordForm } from '../sign-in/password-form.tsx'
import { browserSessionsQuery, hasPasskeySupport, passkeysQuery } from './queries.ts'
import { labels } from './labels.ts'
import { Modal } from '../../ui/dialog.tsx'

interface ConfirmIdentityDialogProps {
  readonly viewer: EmbeddedViewer
  readonly opened: boolean
  readonly onClose: () => void
  /** Repeats the request that required the confirmation. */
  readonly onConfirmed: () => void
}

/** Asks viewers to prove that it is them by signing in again, which replaces their session. */
export function ConfirmIdentityDialog({ opened, onClose, ...confirmation }: ConfirmIdentityDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={labels.confirm.title}>
      <Confirmation {...confirmation} onClose={onClose} />
    </Modal>
  )
}

function Confirmation({ viewer, onClose, onConfirmed }: Omit<ConfirmIdentityDialogProps, 'opened'>) {
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
    <Stack>
      <Text>{labels.confirm.text}</Text>
      <PasswordForm fixedEmail={viewer.email} label={labels.confirm.submit} onSignedIn={onSignedIn} />
      {passkeys.length > 0 && hasPasskeySupport() && <PasskeyButton onSignedIn={onSignedIn} />}
    </Stack>
  )
}

interface DeletionDialogProps {
  readonly title: string
  /** The button that deletes. */
  readonly label: string
  /** What must be typed first. */
  readonly slug: string
  /** What will happen. */
  readonly children: ReactNode
  readonly deletion: UseMutationResult<void, Error, void>
  readonly opened: boolean
  readonly onClose: () => void
}

/** Deletes after the slug was typed and, where the last sign-in is old, after the viewer proved who they are. */
export function DeletionDialog({ title, label, slug, children, deletion, opened, onClose }: DeletionDialogProps) {
  const viewer = useViewer()
  const isUnconfirmed = viewer.provider === 'embedded' && needsConfirmation(deletion.error)
  return (
    <>
      <ConfirmDialog
        title={title}
        label={label}
        typed={slug}
        mutation={{ ...deletion, error: isUnconfirmed ? null : deletion.error, mutate: () => deletion.mutate() }}
        opened={opened}
        onClose={onClose}
      >
        {children}
      </ConfirmDialog>
      {viewer.provider === 'embedded' && (
        <ConfirmIdentityDialog
          viewer={viewer}
          opened={isUnconfirmed}
          onClose={() => deletion.reset()}
          onConfirmed={() => deletion.mutate()}
        />
      )}
    </>
  )
}
