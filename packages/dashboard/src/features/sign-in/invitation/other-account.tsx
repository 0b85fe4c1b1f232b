import { Text } from '@mantine/core'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { useSignOut } from '../../../session/use-sign-out.ts'

interface OtherAccountProps {
  /** Email addresses. */
  readonly signedIn: string
  readonly invited: string
}

export function OtherAccount({ signedIn, invited }: OtherAccountProps) {
  const signOut = useSignOut()
  return (
    <>
      <Text className="wrapping">
        The invitation is for <strong>{invited}</strong>, but you are signed in as <strong>{signedIn}</strong>. Sign out
        to go on as {invited}.
      </Text>
      <ProblemNotice error={signOut.error} />
      <BusyButton isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
      </BusyButton>
    </>
  )
}
