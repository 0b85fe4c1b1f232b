/** Stops the clocks of this process until the end of the current test. */
import { onTestFinished, vi } from 'vitest'

/** Stops the clock that measures durations (`performance.now`). Returns a function that lets some milliseconds pass. */
export function stopMachineClock(): (ms: number) => void {
  let nowMs = performance.now()
  // Moves on a little each time it is read, so that no two events have the same time.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 0.001))
  onTestFinished(() => clock.mockRestore())
  return (ms) => void (nowMs += ms)
}

/**
 * Keeps the time limits of requests (`AbortSignal.timeout`) from running out. Returns a function that lets all that have begun run out,
 * and later ones by themselves.
 */
export function stopTimeLimits(): () => void {
  const begun: AbortController[] = []
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController()
    begun.push(controller)
    return controller.signal
  })
  const resume = (): void => {
    limits.mockRestore()
    for (const controller of begun) controller.abort(new DOMException('The time limit ran out.', 'TimeoutError'))
  }
  onTestFinished(resume)
  return resume
}
