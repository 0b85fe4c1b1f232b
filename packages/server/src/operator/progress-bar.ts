/** A progress bar for a person who waits at a terminal. Short work and output that is not a terminal show none. */
import { atMostEvery, type Progress } from '../base/progress.ts'

/** How long work runs before the bar appears. */
const delayMs = 2_000
const drawIntervalMs = 100
const cells = 40
/** Returns to the start of the line and erases it (ECMA-48, EL). */
const eraseLine = '\r\u001b[K'

interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export class ProgressBar {
  readonly #screen: Screen
  #isDrawn = false
  readonly update: Progress

  /** `now` returns milliseconds. */
  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen
    const beganAt = now()
    const draw = atMostEvery(
      drawIntervalMs,
      (done, total) => this.#draw(total === 0 ? 1 : Math.min(1, done / total)),
      now,
    )
    this.update = (done, total) => {
      if (screen.isTTY && now() - beganAt >= delayMs) draw(done, total)
    }
  }

  #draw(part: number): void {
    const full = Math.floor(part * cells)
    const percent = String(Math.floor(part * 100)).padStart(3)
    this.#screen.write(`${eraseLine}[${'#'.repeat(full)}${' '.repeat(cells - full)}] ${percent}%`)
    this.#isDrawn = true
  }

  clear(): void {
    if (this.#isDrawn) this.#screen.write(eraseLine)
  }
}
