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

// A text area that grows reads 23 styles of itself at each key, in which jsdom spends a quarter of the time. There is no layout here.
const { getComputedStyle } = globalThis
globalThis.getComputedStyle = (element, pseudoElement) =>
  element instanceof HTMLTextAreaElement ? element.style : getComputedStyle(element, pseudoElement)

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
