import { expect, test } from 'vitest'
import { atMostEvery } from '../../src/base/progress.ts'

test('a report that comes too soon after the last one is not forwarded', () => {
  let nowMs = 0
  const passed: number[] = []
  const progress = atMostEvery(
    100,
    (done) => passed.push(done),
    () => nowMs,
  )
  for (; nowMs <= 300; nowMs += 50) progress(nowMs, 300)
  expect(passed).toEqual([0, 100, 200, 300])
})
