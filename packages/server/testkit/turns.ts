/** Measures how long work on the single thread delays others. */
import { onTestFinished, vi } from 'vitest'

/** Counts the turns of the event loop during the work, with a clock that ends a slice each time it is read. */
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
