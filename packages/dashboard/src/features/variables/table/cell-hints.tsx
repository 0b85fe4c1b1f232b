import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks'
import { Tooltip } from '@mantine/core'
import { cellOf, type CellTarget, elementOf } from './cell-target.ts'

interface CellHintsProps {
  readonly textOf: (cell: CellTarget) => string
  readonly children: ReactNode
}

/** One hint for all cells, of which there may be hundreds: that of the one that the mouse or the keyboard rests on. */
export function CellHints({ textOf, children }: CellHintsProps) {
  const { element, handlers } = useHint()
  const cell = element && cellOf(element)
  return (
    <div {...handlers}>
      {children}
      {cell && <CellHint element={element} text={textOf(cell)} />}
    </div>
  )
}

const restMs = 400

/**
 * Which element of many, each with the attribute data-hint, the mouse or the keyboard has rested on. It ends with the
 * Escape key, too (WCAG 2.2, 1.4.13).
 */
function useHint() {
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
      onPointerOver: ({ target, pointerType }: PointerEvent) => pointerType === 'mouse' && rest(elementOf(target)),
      onPointerLeave: hide,
      onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && rest(elementOf(target)),
      onBlur: hide,
      onClick: hide,
      onScrollCapture: hide,
    },
  }
}

interface CellHintProps {
  /** The cell that it is about. */
  readonly element: HTMLElement
  readonly text: string
}

function CellHint({ element, text }: CellHintProps) {
  const id = useId()
  useEffect(() => {
    element.setAttribute('aria-describedby', id)
    return () => element.removeAttribute('aria-describedby')
  }, [element, id])
  return (
    <Tooltip
      target={element}
      opened
      withinPortal={false}
      position="top-start"
      multiline
      maw={360}
      label={
        <span id={id} className="cell-hint">
          {text}
        </span>
      }
    />
  )
}
