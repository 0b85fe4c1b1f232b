/** Long work on the one thread, as those feel it who wait for it. */
import { onTestFinished, vi } from 'vitest'

/** How many turns of the event loop others have while the work goes on, by a clock that ends a slice at each look. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ticks++)
  onTestFinished(() => clock.mockRestore())
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}
