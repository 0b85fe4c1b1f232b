/** Scripts that run inside a page of the web application and observe frames and rows. They are strings because nothing compiles them. */

/** Records when the first rows appear, in ms from the navigation. Runs before the page's own scripts. */
export const noteFirstRows = `new MutationObserver((_, observer) => {
  if (!document.querySelector('[role=gridcell]')) return
  globalThis.firstRowsMs = performance.now()
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

export const firstRowsMs = 'globalThis.firstRowsMs'

/** Returns how far the table can be scrolled, in CSS pixels. */
export const scrollRange = `{
  const { scrollHeight, clientHeight } = document.querySelector('[role=grid]')
  scrollHeight - clientHeight
}`

/** Records for each new frame the time since the frame before it, and whether a visible row was missing. */
export const noteFrames = `{
  const grid = document.querySelector('[role=grid]')
  const rowPx = grid.querySelector('[role=row]').clientHeight
  const count = grid.ariaRowCount - 1
  const isBlank = () => {
    const rendered = new Set(Array.from(grid.querySelectorAll('[role=row]'), (row) => row.ariaRowIndex - 2))
    const end = Math.min(count, Math.ceil((grid.scrollTop + grid.clientHeight) / rowPx) - 1)
    for (let index = Math.floor(grid.scrollTop / rowPx); index < end; index++) if (!rendered.has(index)) return true
    return false
  }
  const frames = []
  let last
  const note = (now) => {
    if (globalThis.frames !== frames) return
    if (last !== undefined) frames.push({ ms: now - last, isBlank: isBlank() })
    last = now
    requestAnimationFrame(note)
  }
  globalThis.frames = frames
  requestAnimationFrame(note)
}`

export interface Frame {
  readonly ms: number
  readonly isBlank: boolean
}

/** Stops recording and returns the frames. */
export const notedFrames = `{
  const { frames } = globalThis
  globalThis.frames = undefined
  frames
}`

/** Measures from the next key to the frame in which the table shows the result, in ms. */
export const noteAnswer = `globalThis.answer = new Promise((resolve) => {
  addEventListener('keydown', ({ timeStamp }) => {
    const observer = new MutationObserver(() => {
      observer.disconnect()
      requestAnimationFrame(() => resolve(performance.now() - timeStamp))
    })
    observer.observe(document.querySelector('[role=grid]'), { attributeFilter: ['aria-rowcount'] })
  }, { once: true, capture: true })
}); undefined`

export const answerMs = 'globalThis.answer'
