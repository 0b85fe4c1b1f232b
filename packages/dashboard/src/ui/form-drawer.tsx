import { Drawer } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { LeavingContext } from './use-unsaved.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

interface FormDrawerProps {
  readonly opened: boolean
  readonly title: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

function always(): boolean {
  return true
}

/** A drawer for forms. What was entered and not saved is thrown away only after a question, whichever way one leaves. */
export function FormDrawer({ opened, title, onClose, children }: FormDrawerProps) {
  const [isUnsaved, setUnsaved] = useState(false)
  const [goal, setGoal] = useState<{ readonly go: () => void } | undefined>()
  // Other pages, and what the browser itself asks before it leaves.
  const blocker = useBlocker({ shouldBlockFn: always, disabled: !isUnsaved, withResolver: true })
  const isAsking = goal !== undefined || blocker.status === 'blocked'
  const leave = (go: () => void): void => (isUnsaved ? setGoal({ go }) : go())
  const stay = (): void => {
    setGoal(undefined)
    blocker.reset?.()
  }
  const throwAway = (): void => {
    setGoal(undefined)
    goal?.go()
    blocker.proceed?.()
  }
  return (
    <>
      <Drawer opened={opened} onClose={() => leave(onClose)} closeOnEscape={!isAsking} title={title}>
        <LeavingContext value={{ setUnsaved, leave }}>{children}</LeavingContext>
      </Drawer>
      <ConfirmDialog
        title="Discard unsaved changes?"
        label="Discard"
        cancelLabel="Keep editing"
        mutation={{ mutate: throwAway, error: null, isPending: false }}
        opened={isAsking}
        onClose={stay}
      >
        Your changes will be lost.
      </ConfirmDialog>
    </>
  )
}
