/** A bar for a person who waits at a terminal; nothing for anybody else, nor for work that is soon done. */
import { atMostEvery, type Progress } from '../base/progress.ts'

const patienceMs = 2_000
const drawEveryMs = 100
const cells = 40
/** ECMA-48, EL: erases the line from the cursor on. */
const eraseLine = '\r\u001b[K'

interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export class ProgressBar {
  readonly #screen: Screen
  #isDrawn = false
  readonly update: Progress

  /** `now` in milliseconds. */
  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen
    const beganAt = now()
    const draw = atMostEvery(drawEveryMs, (done, total) => this.#draw(total === 0 ? 1 : Math.min(1, done / total)), now)
    this.update = (done, total) => {
      if (screen.isTTY && now() - beganAt >= patienceMs) draw(done, total)
    }
  }

  #draw(part: number): void {
    const full = Math.floor(part * cells)
    const percent = String(Math.floor(part * 100)).padStart(3)
    this.#screen.write(`${eraseLine}[${'#'.repeat(full)}${' '.repeat(cells - full)}] ${percent} %`)
    this.#isDrawn = true
  }

  clear(): void {
    if (this.#isDrawn) this.#screen.write(eraseLine)
  }
}
