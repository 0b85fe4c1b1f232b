import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks'
import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pastTime } from '../../../lib/time.ts'
import { useAuthorText } from '../../history/use-author-text.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useScope } from '../../../session/use-scope.ts'
import { changesQuery, type Place } from '../queries.ts'
import { changeWords } from '../labels.ts'

interface CellHintsProps {
  readonly projectSlug: string
  readonly children: ReactNode
}

/** What a cell of the table attaches to itself to have a hint. Slugs have no slash. */
export function hintOf(stageSlug: string, name: string): string {
  return `${stageSlug}/${name}`
}

/** One hint for all cells, of which there may be hundreds: that of the one that the mouse or the keyboard rests on. */
export function CellHints({ projectSlug, children }: CellHintsProps) {
  const { element, handlers } = useHint()
  const [stageSlug = '', ...name] = element?.dataset['hint']?.split('/') ?? []
  return (
    <div {...handlers}>
      {children}
      {element && <CellHint element={element} place={{ projectSlug, stageSlug }} name={name.join('/')} />}
    </div>
  )
}

const restMs = 400

function hinted(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null
}

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
      onPointerOver: ({ target, pointerType }: PointerEvent) => pointerType === 'mouse' && rest(hinted(target)),
      onPointerLeave: hide,
      onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && rest(hinted(target)),
      onBlur: hide,
      onClick: hide,
      onScrollCapture: hide,
    },
  }
}

/** Changes are told as they come; only where they are not, is it asked for again. */
const freshMs = 60_000

interface CellHintProps {
  /** The cell that it is about. */
  readonly element: HTMLElement
  readonly place: Place
  readonly name: string
}

/** Who changed a variable last, and when. */
function CellHint({ element, place, name }: CellHintProps) {
  const { data } = useQuery({ ...changesQuery(useScope(), place, name), staleTime: freshMs })
  const authorText = useAuthorText()
  const nowMs = useNow()
  const id = useId()
  useEffect(() => {
    element.setAttribute('aria-describedby', id)
    return () => element.removeAttribute('aria-describedby')
  }, [element, id])
  const newest = data?.[0]
  if (!newest) return null
  const when = pastTime(newest.writtenAtMs, nowMs)
  const text = `${changeWords[newest.change]} by ${authorText(newest)}, ${when}`
  return (
    <Tooltip
      target={element}
      opened
      withinPortal={false}
      position="top-start"
      multiline
      maw={320}
      label={<span id={id}>{text}</span>}
    />
  )
}
