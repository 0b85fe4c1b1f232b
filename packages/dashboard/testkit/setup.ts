/** Adds what Mantine needs and jsdom lacks, and removes each test's components after it. */
import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

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
Object.defineProperty(document, 'fonts', { value: new EventTarget() })
Element.prototype.scrollIntoView = () => {}
globalThis.scrollTo = () => {}

// A busy machine needs more than the library's one second.
configure({ asyncUtilTimeout: 10_000 })

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})
