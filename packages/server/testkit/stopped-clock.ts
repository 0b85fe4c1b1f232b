/** Stops the clock that measures durations in this process (`performance.now`), until the end of the current test. */
import { onTestFinished, vi } from 'vitest'

/** Returns a function that lets some milliseconds pass. */
export function stopMachineClock(): (ms: number) => void {
  let nowMs = performance.now()
  // Moves on a little each time it is read, so that no two events have the same time.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 0.001))
  onTestFinished(() => clock.mockRestore())
  return (ms) => void (nowMs += ms)
}
