import { useMutation } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { signInWithPasskey } from '../account/passkey-queries.ts'
import { labels } from './labels.ts'

interface PasskeyButtonProps {
  readonly onSignedIn: () => Promise<void>
}

export function PasskeyButton({ onSignedIn }: PasskeyButtonProps) {
  const signIn = useMutation({ mutationFn: () => signInWithPasskey(false), onSuccess: () => onSignedIn() })
  return (
    <>
      <BusyButton variant="default" isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
        {labels.signIn.passkey}
      </BusyButton>
      <ErrorNotice error={signIn.error} />
    </>
  )
}
