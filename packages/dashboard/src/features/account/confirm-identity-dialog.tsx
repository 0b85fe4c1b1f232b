import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { needsConfirmation } from '../../service/errors.ts'
import { forgetAccessTokens } from '../../session/access-token.ts'
import { endConfirmation } from '../../session/confirmation.ts'
import { confirmInWindow, startExternalSignIn, WindowBlocked } from '../../session/external-sign-in.ts'
import { type EmbeddedViewer, type ExternalViewer, useViewer, viewerKey } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { PasskeyButton, PasswordForm } from '../../parts/sign-in/password-form.tsx'
import { browserSessionsQuery, hasPasskeySupport, passkeysQuery } from '../../data/account.ts'
import { ConfirmAtCompanies, useHasPassword } from './companies.tsx'
import { labels } from './labels.ts'
import { Modal } from '../../ui/dialog.tsx'

function cancel(): void {
  endConfirmation(false)
}

/** Asks viewers to prove that it is them. What waits for it continues by itself. */
export function ConfirmIdentityDialog() {
  const viewer = useViewer()
  // It is removed without the motion after which a dialog gives the focus back.
  const [origin] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (origin instanceof HTMLElement) origin.focus()
    },
    [origin],
  )
  return (
    <Modal
      opened
      onClose={cancel}
      title={labels.confirm.title}
      // Another dialog below it would close with the same Escape.
      closeOnEscape={false}
      onKeyDown={({ key }) => key === 'Escape' && cancel()}
    >
      {viewer.provider === 'embedded' ? <SignInAgain viewer={viewer} /> : <SignInElsewhere viewer={viewer} />}
    </Modal>
  )
}

interface SignInAgainProps {
  readonly viewer: EmbeddedViewer
}

/** Signs in again, which replaces the session. */
function SignInAgain({ viewer }: SignInAgainProps) {
  const queryClient = useQueryClient()
  const { data: passkeys = [] } = useQuery(passkeysQuery(viewer.userId))
  const hasPassword = useHasPassword(viewer.userId)
  const onSignedIn = async (): Promise<void> => {
    forgetAccessTokens()
    endConfirmation(true)
    // In the background, so that the page stays as it is.
    await queryClient.invalidateQueries({ queryKey: viewerKey })
    await queryClient.invalidateQueries(browserSessionsQuery(viewer.userId))
    await queryClient.invalidateQueries({ predicate: ({ state }) => needsConfirmation(state.error) })
  }
  return (
    <Stack>
      <Text>{labels.confirm.text}</Text>
      {hasPassword && <PasswordForm fixedEmail={viewer.email} label={labels.confirm.submit} onSignedIn={onSignedIn} />}
      {passkeys.length > 0 && hasPasskeySupport() && <PasskeyButton onSignedIn={onSignedIn} />}
      <ConfirmAtCompanies userId={viewer.userId} />
    </Stack>
  )
}

/** Lets the person sign in again at the external provider, in another window so that this page stays as it is. */
function SignInElsewhere({ viewer }: { readonly viewer: ExternalViewer }) {
  const queryClient = useQueryClient()
  const wait = useRef<AbortController>(undefined)
  useEffect(() => () => wait.current?.abort(), [])
  const confirm = useMutation({
    mutationFn: () => {
      wait.current?.abort()
      wait.current = new AbortController()
      return confirmInWindow({ userId: viewer.userId, orgSlug: viewer.organization.slug }, wait.current.signal)
    },
    onSuccess: async () => {
      endConfirmation(true)
      await queryClient.invalidateQueries({ queryKey: viewerKey })
      await queryClient.invalidateQueries({ predicate: ({ state }) => needsConfirmation(state.error) })
    },
  })
  if (confirm.error instanceof WindowBlocked) return <SignInHere error={confirm.error} />
  return (
    <Stack>
      <Text>{labels.confirm.external}</Text>
      <ErrorNotice error={confirm.error} />
      {confirm.isPending && <Text role="status">{labels.confirm.waiting}</Text>}
      <Button onClick={() => confirm.mutate()}>
        {confirm.isPending ? labels.confirm.externalAgain : labels.confirm.externalSubmit}
      </Button>
    </Stack>
  )
}

/** Leads to the external provider, which leads back to this page. */
function SignInHere({ error }: { readonly error: WindowBlocked }) {
  const href = useLocation({ select: (location) => location.href })
  const start = useMutation({ mutationFn: () => startExternalSignIn(href, true) })
  return (
    <Stack>
      <ErrorNotice error={error} />
      <Text>{labels.confirm.hereText}</Text>
      <ErrorNotice error={start.error} />
      <BusyButton isBusy={start.isPending} onClick={() => start.mutate()}>
        {labels.confirm.here}
      </BusyButton>
    </Stack>
  )
}
