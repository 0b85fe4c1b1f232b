/** A progress bar for a person who waits at a terminal. Short work, and output that is not a terminal, show none. */

/** How long work runs before the bar appears. */
const delayMs = 2_000
const cells = 40
/** Returns to the start of the line and erases it (ECMA-48, EL). */
const eraseLine = '\r\u001b[K'

interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/**
 * Runs work that reports how many of `total` pieces are done, and shows that once it takes longer than two seconds. The bar is gone when
 * the work ends. `now` returns milliseconds.
 */
export async function withProgress<Result>(
  screen: Screen,
  total: number,
  work: (report: (done: number) => void) => Promise<Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  const beganAt = now()
  const isSlow = (): boolean => screen.isTTY === true && now() - beganAt >= delayMs
  let isDrawn = false
  try {
    return await work((done) => {
      if (!isSlow()) return
      const full = Math.floor((done / total) * cells)
      const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
      screen.write(`${eraseLine}[${'#'.repeat(full)}${' '.repeat(cells - full)}] ${counts}`)
      isDrawn = true
    })
  } finally {
    if (isDrawn) screen.write(eraseLine)
  }
}
