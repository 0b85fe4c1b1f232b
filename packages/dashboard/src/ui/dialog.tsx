/** Dialogs and drawers. A page may have dozens of them, so each one is mounted when it is first opened. */
import {
  Drawer as MantineDrawer,
  type DrawerProps as MantineDrawerProps,
  Group,
  Modal as MantineModal,
  type ModalProps,
  useProps,
} from '@mantine/core'
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
  readonly titleAction?: ReactNode
  readonly children?: ReactNode
  readonly onExitTransitionEnd?: () => void
}

interface OverlayProps extends Shown {
  /** Returns the dialog. */
  readonly render: (shown: Shown & { readonly onExitTransitionEnd: () => void }) => ReactNode
}

/** Shows a dialog or a drawer. While it leaves, it shows what it showed last: its thing may be gone by then. */
function Overlay({ opened, title, titleAction, children, onExitTransitionEnd, render }: OverlayProps) {
  const [last, setLast] = useState({ title, titleAction, children })
  if (opened && (last.title !== title || last.children !== children)) setLast({ title, titleAction, children })
  const shown = opened ? { title, titleAction, children } : last
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
  return (
    <Overlay
      {...props}
      render={({ opened, title, children, onExitTransitionEnd }) => (
        <MantineModal {...props} opened={opened} title={title} onExitTransitionEnd={onExitTransitionEnd}>
          {children}
        </MantineModal>
      )}
    />
  )
}

interface DrawerProps extends MantineDrawerProps {
  /** A button right behind the title. It is not inside, because the title names the drawer. */
  readonly titleAction?: ReactNode
}

/** Shows a new thing or a change beside the page. Where it has a form, the focus begins there. */
export function Drawer(props: DrawerProps) {
  return <Overlay {...props} render={(shown) => <FocusingDrawer {...props} {...shown} />} />
}

function FocusingDrawer({ title, titleAction, children, ...props }: DrawerProps) {
  const [drawer, setDrawer] = useState<HTMLElement | null>(null)
  useFocusInForm(drawer, props.opened)
  useLockedPage(props.opened)
  const { closeButtonProps, overlayProps, ...root } = useProps('Drawer', {}, props)
  return (
    <MantineDrawer.Root {...root} ref={setDrawer}>
      <MantineDrawer.Overlay {...overlayProps} />
      <MantineDrawer.Content>
        <MantineDrawer.Header>
          <Group gap={4} wrap="nowrap" miw={0}>
            <MantineDrawer.Title>{title}</MantineDrawer.Title>
            {titleAction}
          </Group>
          <MantineDrawer.CloseButton {...closeButtonProps} />
        </MantineDrawer.Header>
        <MantineDrawer.Body>{children}</MantineDrawer.Body>
      </MantineDrawer.Content>
    </MantineDrawer.Root>
  )
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
