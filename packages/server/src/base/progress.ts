/** Told how far work has come, as often as it likes: `done` of `total` pieces. */
export type Progress = (done: number, total: number) => void

export const noProgress: Progress = () => {}

/** Passes on what comes later than `ms` after the last that it passed on; `now` in milliseconds. */
export function atMostEvery(ms: number, progress: Progress, now: () => number = () => performance.now()): Progress {
  let last = -Infinity
  return (done, total) => {
    if (now() - last < ms) return
    last = now()
    progress(done, total)
  }
}
