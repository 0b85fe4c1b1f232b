import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useChanges } from './changes-context.ts'
import { countText } from './change-set.ts'

/** Asks before what is not saved is left behind. */
export function LeaveQuestion() {
  const { pending } = useChanges()
  const { status, proceed, reset } = useBlocker({
    // Whoever is signed out could not save any more.
    shouldBlockFn: ({ current, next }) =>
      pending.length > 0 && next.pathname !== current.pathname && next.pathname !== '/sign-in',
    enableBeforeUnload: pending.length > 0,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      title="Leave without saving?"
      label="Leave and discard"
      mutation={{ mutate: () => proceed?.(), error: null, isPending: false }}
      opened={status === 'blocked'}
      onClose={() => reset?.()}
    >
      {countText(pending)}. Leaving this page throws that away.
    </ConfirmDialog>
  )
}
