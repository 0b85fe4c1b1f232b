/** Dialogs and drawers. A page may have dozens of them, so each one is mounted when it is first opened. */
import { Drawer as MantineDrawer, type DrawerProps, Modal as MantineModal, type ModalProps } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { type ReactNode, useLayoutEffect, useState } from 'react'
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

interface Shown {
  readonly opened: boolean
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly onExitTransitionEnd?: () => void
}

interface OverlayProps extends Shown {
  /** Returns the dialog. */
  readonly render: (shown: Shown) => ReactNode
}

/** Shows a dialog or a drawer. While it leaves, it shows what it showed last: its thing may be gone by then. */
function Overlay({ opened, title, children, onExitTransitionEnd, render }: OverlayProps) {
  const [last, setLast] = useState({ title, children })
  if (opened && (last.title !== title || last.children !== children)) setLast({ title, children })
  const shown = opened ? { title, children } : last
  const end = (): void => {
    onExitTransitionEnd?.()
    keepFocus()
  }
  return (
    <OnceOpened opened={opened}>
      <OnceMounted opened={opened}>
        {(isOpen) => render({ ...shown, opened: isOpen, onExitTransitionEnd: end })}
      </OnceMounted>
    </OnceOpened>
  )
}

/** Shows a question or a short form in the middle of the window. */
export function Modal(props: ModalProps) {
  return <Overlay {...props} render={(shown) => <MantineModal {...props} {...shown} />} />
}

/** Shows a new thing or a change beside the page. Where it has a form, the focus begins there. */
export function Drawer(props: DrawerProps) {
  return <Overlay {...props} render={(shown) => <FocusingDrawer {...props} {...shown} />} />
}

function FocusingDrawer(props: DrawerProps) {
  const [drawer, setDrawer] = useState<HTMLElement | null>(null)
  useFocusInForm(drawer, props.opened)
  useLockedPage(props.opened)
  return <MantineDrawer {...props} ref={setDrawer} />
}

/** How many drawers are open, one over another. */
let openDrawers = 0

/** Keeps the page from scrolling behind a drawer. The place of its scroll bar stays free, so that nothing moves. */
function useLockedPage(isLocked: boolean): void {
  useLayoutEffect(() => {
    if (!isLocked) return
    const { style, clientWidth } = document.documentElement
    if (openDrawers === 0) {
      Object.assign(style, { overflow: 'hidden', paddingInlineEnd: `${globalThis.innerWidth - clientWidth}px` })
    }
    openDrawers += 1
    return () => {
      openDrawers -= 1
      if (openDrawers === 0) Object.assign(style, { overflow: '', paddingInlineEnd: '' })
    }
  }, [isLocked])
}
