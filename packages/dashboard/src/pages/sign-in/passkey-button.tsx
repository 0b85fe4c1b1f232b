import { useMutation } from '@tanstack/react-query'
import { BusyButton } from '../../components/busy-button.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { signInWithPasskey } from '../../identity/passkeys.ts'

interface PasskeyButtonProps {
  readonly onSignedIn: () => Promise<void>
}

export function PasskeyButton({ onSignedIn }: PasskeyButtonProps) {
  const signIn = useMutation({ mutationFn: () => signInWithPasskey(false), onSuccess: () => onSignedIn() })
  return (
    <>
      <BusyButton variant="default" isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </BusyButton>
      <ProblemNotice error={signIn.error} />
    </>
  )
}
