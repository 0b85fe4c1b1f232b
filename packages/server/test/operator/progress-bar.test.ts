import { expect, test } from 'vitest'
import { ProgressBar } from '../../src/operator/progress-bar.ts'

/** Returns what a screen shows of work, each tenth of which takes this long. */
function drawn(isTTY: boolean, tenthMs: number): string[] {
  let nowMs = 0
  const written: string[] = []
  const bar = new ProgressBar({ isTTY, write: (text) => written.push(text) }, () => nowMs)
  for (let tenth = 1; tenth <= 10; tenth++) {
    nowMs += tenthMs
    bar.update(tenth, 10)
  }
  bar.clear()
  return written
}

test('a person at a terminal sees the progress of long work, and a clear line at its end', () => {
  const lines = drawn(true, 250)
  expect(lines).toHaveLength(4)
  expect(lines[0]).toBe(`\r\u001b[K[${'#'.repeat(32)}${' '.repeat(8)}]  80%`)
  expect(lines.at(-2)).toBe(`\r\u001b[K[${'#'.repeat(40)}] 100%`)
  expect(lines.at(-1)).toBe('\r\u001b[K')
})

test('the bar is drawn at most ten times a second', () => {
  let nowMs = 0
  const written: string[] = []
  const bar = new ProgressBar({ isTTY: true, write: (text) => written.push(text) }, () => nowMs)
  for (; nowMs < 3_000; nowMs++) bar.update(nowMs, 3_000)
  expect(written).toHaveLength(10)
})

test('no bar is drawn for short work or without a terminal', () => {
  expect(drawn(true, 199)).toEqual([])
  expect(drawn(false, 1_000)).toEqual([])
})
