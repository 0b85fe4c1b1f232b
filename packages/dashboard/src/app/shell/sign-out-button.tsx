import { BusyButton } from '../../ui/busy-button.tsx'
import { FloatingProblem } from '../../ui/floating-error.tsx'
import { useSignOut } from '../../session/use-sign-out.ts'
import classes from './shell.module.css'

export function SignOutButton() {
  const signOut = useSignOut('/sign-in')
  return (
    <>
      <BusyButton
        className={classes['sign-out']}
        variant="default"
        isBusy={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        Sign out
      </BusyButton>
      <FloatingProblem error={signOut.error} />
    </>
  )
}
