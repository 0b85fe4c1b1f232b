/**
 * Adds what Mantine needs and jsdom lacks, and removes after each test its components and what the page would have kept. Files share
 * the libraries that they import, which takes a third of the time, but each has its own modules of the application, as a page has.
 */
import { notifications } from '@mantine/notifications'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'

vi.resetModules()

class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

globalThis.ResizeObserver = NoResizeObserver
globalThis.matchMedia = (media) =>
  Object.assign(new EventTarget(), {
    matches: false,
    media,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
  })
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })
Element.prototype.scrollIntoView = () => {}
globalThis.scrollTo = () => {}

// jsdom matches each element with each rule of its style sheet, in which it spends a quarter of the time. There is no layout here: what is
// computed is what is stated, with what queries by role read of the elements of HTML.
const inline = new Set(
  'A ABBR B BR CODE EM I INPUT KBD LABEL MARK SELECT SMALL SPAN STRONG SUB SUP TEXTAREA TIME'.split(' '),
)
const none = new Set('HEAD LINK META SCRIPT STYLE TEMPLATE TITLE'.split(' '))

function displayOf(element: Element): string {
  if (none.has(element.tagName) || element.hasAttribute('hidden')) return 'none'
  return inline.has(element.tagName) ? 'inline' : 'block'
}

globalThis.getComputedStyle = (element) => {
  const { style } = element as HTMLElement
  const valueOf = (name: string): string => {
    const stated = style.getPropertyValue(name)
    if (stated !== '') return stated
    if (name === 'display') return displayOf(element)
    const parent = name === 'visibility' || name === 'pointer-events' ? element.parentElement : null
    return parent ? getComputedStyle(parent).getPropertyValue(name) : ''
  }
  return new Proxy(style, {
    get(target, name) {
      if (name === 'getPropertyValue') return valueOf
      if (name === 'display' || name === 'visibility') return valueOf(name)
      if (name === 'pointerEvents') return valueOf('pointer-events')
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
}

// Only a hang reaches it.
configure({ asyncUtilTimeout: 120_000 })

/** Stops the clock at noon on a Saturday. What a test shows is as old at its end as at its start. */
function stopClock(): void {
  vi.setSystemTime(Date.UTC(2026, 10, 21, 12))
}

type SetTimer = (run: () => void, ms?: number) => unknown

/** Leaves out timers of what a person waits for, such as the end of a toast. A slow machine would reach them. Limits for hangs stay. */
function shortOnly(set: SetTimer): SetTimer {
  return (run, ms = 0) => set(ms >= 1_000 && ms < 120_000 ? () => {} : run, ms)
}

// Modules of a test file read the clock before its first test.
stopClock()

// No time passes in a test by itself.
beforeEach(() => {
  stopClock()
  vi.spyOn(performance, 'now').mockReturnValue(0)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  vi.stubGlobal('setTimeout', shortOnly(setTimeout))
  vi.stubGlobal('setInterval', shortOnly(setInterval))
})

afterEach(async () => {
  cleanup()
  // A toast that waits for its code would come in the next test, also in that of another file.
  await vi.dynamicImportSettled()
  notifications.clean()
  localStorage.clear()
  sessionStorage.clear()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
