/** Dialogs and drawers. A page may have dozens of them, so each one is mounted when it is first opened. */
import { Drawer as MantineDrawer, type DrawerProps, Modal as MantineModal, type ModalProps } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { keepFocus, useFocusInForm } from './focus.ts'

interface OnceOpenedProps {
  readonly opened: boolean
  readonly children: ReactNode
}

/** Mounts a dialog when it is first opened, and keeps it mounted for its closing motion. */
export function OnceOpened({ opened, children }: OnceOpenedProps) {
  const [wasOpened, setOpened] = useState(opened)
  if (opened && !wasOpened) setOpened(true)
  return wasOpened && children
}

interface OnceMountedProps {
  readonly opened: boolean
  /** Returns the dialog. */
  readonly children: (opened: boolean) => ReactNode
}

/** Opens a dialog right after it was mounted, so that it remembers the focus and plays its motion like the next time. */
export function OnceMounted({ opened, children }: OnceMountedProps) {
  const isMounted = useMounted()
  return children(opened && isMounted)
}

/** Shows a question or a short form in the middle of the window. */
export function Modal({ opened, onExitTransitionEnd, ...props }: ModalProps) {
  const end = (): void => {
    onExitTransitionEnd?.()
    keepFocus()
  }
  return (
    <OnceOpened opened={opened}>
      <OnceMounted opened={opened}>
        {(isOpen) => <MantineModal {...props} opened={isOpen} onExitTransitionEnd={end} />}
      </OnceMounted>
    </OnceOpened>
  )
}

/** Shows a new thing or a change beside the page. Where it has a form, the focus begins there. */
export function Drawer({ opened, onExitTransitionEnd, ...props }: DrawerProps) {
  const end = (): void => {
    onExitTransitionEnd?.()
    keepFocus()
  }
  return (
    <OnceOpened opened={opened}>
      <OnceMounted opened={opened}>
        {(isOpen) => <FocusingDrawer {...props} opened={isOpen} onExitTransitionEnd={end} />}
      </OnceMounted>
    </OnceOpened>
  )
}

function FocusingDrawer(props: DrawerProps) {
  const [drawer, setDrawer] = useState<HTMLElement | null>(null)
  useFocusInForm(drawer, props.opened)
  return <MantineDrawer {...props} ref={setDrawer} />
}
