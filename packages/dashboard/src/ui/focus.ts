/**
 * Where the focus goes after an action: to what the action made or changed, or if it removed the focused element, to its
 * neighbor in the list, and without one to the heading. One watcher does this for the page, so that dialogs, rows and buttons
 * need not know what replaces them (docs/design.md, "Keyboard").
 */
import { useEffect, useLayoutEffect, useRef } from 'react'

/** How long a following dialog takes to appear, or a list to show what changed. */
const settleMs = 100
/** How long what an action made takes to appear. From then on a neighbor has the focus. */
const appearMs = 2_000
/** How long it is waited for, on a slow machine behind a slow line. */
const expectedMs = 60_000

const rows = '[data-row], li'
const controls = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]'

/** Gives the focus to what has the key, and returns whether it is there. */
type Finder = (key: string) => boolean

const finders = new Set<Finder>()
/** The element that had the focus last, and the rows next to its row, the nearest first. */
let trail: readonly Element[] = []
let wanted: { readonly key: string; readonly sinceMs: number } | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Gives the focus to what has the key as its `data-focus`, or to what a finder knows by it, as soon as it is there and no
 * dialog is open. A key press or a click comes first.
 *
 * @example
 * focusOn(token.id)
 */
export function focusOn(key: string): void {
  wanted = { key, sinceMs: performance.now() }
  settle()
}

/** Focuses the heading, where the focused element is removed or skipped. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus()
}

/** Lets a component give the focus to something by its key, such as a row that is out of sight. */
export function useFocusFinder(find: Finder): void {
  const latest = useRef(find)
  useLayoutEffect(() => {
    latest.current = find
  })
  useEffect(() => {
    const finder: Finder = (key) => latest.current(key)
    finders.add(finder)
    return () => void finders.delete(finder)
  }, [])
}

const firstFields =
  '[data-autofocus], form :is(input:not([type=hidden]), select, textarea):not(:disabled, [tabindex="-1"])'

/**
 * Begins in the form of a drawer: in its first field, or without one at the button that submits it. They may appear after the drawer,
 * which until then has the focus on its close button. A key press or a click comes first.
 */
export function useFocusInForm(drawer: HTMLElement | null, opened: boolean): void {
  useEffect(() => {
    if (!drawer || !opened) return undefined
    const waiting = new AbortController()
    const { signal } = waiting
    const end = (): void => waiting.abort()
    const begin = (): void => {
      const { activeElement } = document
      if (signal.aborted || !drawer.contains(activeElement)) return
      const first =
        drawer.querySelector<HTMLElement>(firstFields) ??
        drawer.querySelector<HTMLElement>('form [type=submit]:not(:disabled)')
      if (!first) return
      end()
      if (!activeElement?.closest('form, [data-autofocus]')) first.focus({ preventScroll: true })
    }
    // After the drawer has placed the focus itself.
    const settleFocus = (): void => void setTimeout(begin)
    const observer = new MutationObserver(settleFocus)
    observer.observe(drawer, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    signal.addEventListener('abort', () => observer.disconnect())
    drawer.addEventListener('focusin', settleFocus, { signal })
    drawer.addEventListener('keydown', end, { signal })
    drawer.addEventListener('pointerdown', end, { signal })
    return end
  }, [drawer, opened])
}

/** Watches the page for a focus that is lost. */
export function useFocusWatcher(): void {
  useEffect(() => {
    const watching = new AbortController()
    const { signal } = watching
    const forget = (): void => {
      wanted = undefined
    }
    document.addEventListener('focusin', ({ target }) => remember(target), { signal })
    // Before a dialog that the key closes.
    globalThis.addEventListener('keydown', forget, { signal, capture: true })
    globalThis.addEventListener('pointerdown', forget, { signal, capture: true })
    const observer = new MutationObserver(() => (wanted || isLost()) && settle())
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => {
      watching.abort()
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [])
}

function remember(target: EventTarget | null): void {
  // What opened the dialog is what its end is about.
  if (!(target instanceof Element) || target.closest('[role=dialog], [role=menu], [role=alert], [role=status]')) return
  const row = target.closest(rows)
  const all = row?.parentElement ? [...row.parentElement.children].filter((each) => each.matches(rows)) : []
  const at = row ? all.indexOf(row) : -1
  trail = [target, ...all.slice(at + 1), ...all.slice(0, Math.max(0, at)).toReversed()]
}

/** Returns whether the focused element was removed or disabled, rather than left by a click. */
function isLost(): boolean {
  const [last] = trail
  const isGone = last !== undefined && (!last.isConnected || last.matches(':disabled'))
  // A browser may leave the focus on a disabled element, where no key does anything.
  return isGone && (document.activeElement === document.body || document.activeElement === last)
}

function settle(): void {
  clearTimeout(timer)
  timer = setTimeout(place, settleMs)
}

function place(): void {
  // A test may have closed its window.
  if (typeof document === 'undefined' || document.querySelector('[role=dialog]')) return
  if (wanted && (focusElement(wanted.key) || [...finders].some((find) => wanted && find(wanted.key)))) {
    wanted = undefined
    return
  }
  const waitedMs = wanted ? performance.now() - wanted.sinceMs : Infinity
  if (waitedMs < appearMs) return settle()
  if (waitedMs > expectedMs) wanted = undefined
  if (isLost()) focusNeighbor()
}

function focusElement(key: string): boolean {
  const marked = document.querySelectorAll<HTMLElement>('[data-focus]')
  return focusWithin([...marked].find((each) => each.dataset['focus'] === key))
}

function focusWithin(element: Element | null | undefined): boolean {
  const control = element?.matches(controls) ? element : element?.querySelector(controls)
  if (!(control instanceof HTMLElement)) return false
  control.focus()
  return document.activeElement === control
}

function focusNeighbor(): void {
  const neighbor = trail.find((each) => each.isConnected && focusWithin(each))
  if (!neighbor) focusHeading()
}

/** Gives the focus back after a dialog that no control opened, such as by a key: to what had it before, or to the heading. */
export function keepFocus(): void {
  setTimeout(() => {
    if (typeof document === 'undefined' || wanted) return
    if (document.activeElement === document.body && document.querySelector('[role=dialog]') === null) focusNeighbor()
  }, settleMs)
}
