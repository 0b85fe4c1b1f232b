import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { lightWork } from '../../src/concurrency/light-work.ts'
import { TimeSlices } from '../../src/concurrency/time-slices.ts'

/** Returns how many turns of the event loop follow a slice of 10 ms, in which light work of `workTurns` begins. A turn takes `turnMs`. */
async function turnsAfterSlice({ turnMs, workTurns }: { turnMs: number; workTurns: number }): Promise<number> {
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  const slices = new TimeSlices()
  lightWork.begin()
  nowMs = 10
  let turns = 0
  const next = new AbortController()
  const others = (async () => {
    for (; !next.signal.aborted || turns < workTurns; nowMs += turnMs) {
      await nextTurn()
      turns++
      if (turns === workTurns) lightWork.end()
    }
  })()
  await slices.next()
  const found = turns
  next.abort()
  await others
  return found
}

test('after a slice light work goes on to its end', async () => {
  expect(await turnsAfterSlice({ turnMs: 1, workTurns: 7 })).toBeGreaterThanOrEqual(7)
})

test('after a slice light work that goes on is waited for at most four times as long', async () => {
  const turns = await turnsAfterSlice({ turnMs: 10, workTurns: 20 })
  expect(turns).toBeLessThanOrEqual(5)
})

test('after a slice light work that began long ago is not waited for', async () => {
  expect(await turnsAfterSlice({ turnMs: 100, workTurns: 20 })).toBeLessThanOrEqual(2)
})
