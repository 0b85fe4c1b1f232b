import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks'
import { useState, type FocusEvent, type PointerEvent } from 'react'

const restMs = 400

function hinted(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null
}

/**
 * Which element of many, each with the attribute data-hint, the mouse or the keyboard has rested on. It ends with the
 * Escape key, too (WCAG 2.2, 1.4.13).
 */
export function useHint() {
  const [element, setElement] = useState<HTMLElement | undefined>()
  const show = useDebouncedCallback(setElement, restMs)
  const hide = (): void => {
    show.cancel()
    setElement(undefined)
  }
  const rest = (next: HTMLElement | null): void => {
    if (next === element) return
    hide()
    if (next) show(next)
  }
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && hide())
  return {
    element,
    handlers: {
      onPointerOver: ({ target, pointerType }: PointerEvent) => pointerType === 'mouse' && rest(hinted(target)),
      onPointerLeave: hide,
      onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && rest(hinted(target)),
      onBlur: hide,
      onClick: hide,
      onScrollCapture: hide,
    },
  }
}
