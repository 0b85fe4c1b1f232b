/** Scripts that run inside a page of the web application and observe frames and rows. They are strings because nothing compiles them. */

/** Records when the first rows appear, in ms from the navigation. Runs before the page's own scripts. */
export const noteFirstRows = `new MutationObserver((_, observer) => {
  if (!document.querySelector('[role=gridcell]')) return
  globalThis.firstRowsMs = performance.now()
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

export const firstRowsMs = 'globalThis.firstRowsMs'

/** Returns how far the table, or the page that contains it, can be scrolled, in CSS pixels. */
export const scrollRange = `{
  let scroller = document.querySelector('[role=grid]')
  const scrolls = (element) => element.scrollHeight > element.clientHeight && getComputedStyle(element).overflowY !== 'visible'
  while (scroller !== document.documentElement && !scrolls(scroller)) scroller = scroller.parentElement
  scroller.scrollHeight - scroller.clientHeight
}`

/** Records for each new frame the time since the frame before it, and whether a visible row was missing. */
export const noteFrames = `{
  const grid = document.querySelector('[role=grid]')
  const cell = grid.querySelector('[role=gridcell]')
  const rowPx = cell.closest('[role=row]').getBoundingClientRect().height
  const rows = cell.closest('[role=rowgroup]')
  const count = grid.ariaRowCount - 1
  const isBlank = () => {
    const rendered = new Set(Array.from(grid.querySelectorAll('[role=row]'), (row) => row.ariaRowIndex - 2))
    const visible = grid.getBoundingClientRect()
    const { top } = rows.getBoundingClientRect()
    const end = Math.min(count, Math.floor((Math.min(visible.bottom, innerHeight) - top) / rowPx))
    const start = Math.max(0, Math.floor((Math.max(visible.top, 0) - top) / rowPx))
    for (let index = start; index < end; index++) if (!rendered.has(index)) return true
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

/** Starts to record how long each interaction takes until the next frame (Event Timing). Runs before the page's own scripts. */
export const noteInteractions = `{
  const interactions = []
  globalThis.interactions = interactions
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) interactions.push(duration)
  }).observe({ type: 'event', durationThreshold: 16 })
}`

/** Shortest interaction that Event Timing reports, in ms. */
export const shortestMs = 16

/** Returns the longest interaction since the last call, once its frame is shown, in ms. */
export const longestInteractionMs = `new Promise((resolve) => {
  setTimeout(() => resolve(Math.max(${shortestMs}, ...globalThis.interactions.splice(0))), 250)
})`
