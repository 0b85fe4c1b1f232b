/** Callback that receives the progress of work, at any rate: `done` of `total` pieces. */
export type Progress = (done: number, total: number) => void

export const noProgress: Progress = () => {}

/** Returns a callback that forwards at most one report per `ms`. `now` returns milliseconds. */
export function atMostEvery(ms: number, progress: Progress, now: () => number = () => performance.now()): Progress {
  let last = -Infinity
  return (done, total) => {
    if (now() - last < ms) return
    last = now()
    progress(done, total)
  }
}
