/**
 * Adds what Mantine needs and jsdom lacks, and removes after each test its components and what the page would have kept. Files share
 * the libraries that they import, which takes a third of the time, but each has its own modules of the application, as a page has.
 */
import { notifications } from '@mantine/notifications'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

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

afterEach(() => {
  cleanup()
  notifications.clean()
  localStorage.clear()
  sessionStorage.clear()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
