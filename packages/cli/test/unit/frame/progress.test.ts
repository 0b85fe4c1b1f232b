import { expect, test } from 'vitest'
import { withProgress } from '../../../src/frame/progress.ts'

/** Runs work of ten seconds and 10,000 pieces that fails at the end if it `fails`. Returns what it wrote. */
async function shownOn(isTTY: boolean, { fails = false } = {}): Promise<string[]> {
  const written: string[] = []
  const screen = { isTTY, write: (text: string) => written.push(text) }
  let nowMs = 0
  const work = async (report: (done: number) => void): Promise<string> => {
    for (let done = 1_000; done <= 10_000; done += 1_000) {
      nowMs += 1_000
      report(done)
    }
    if (fails) throw new Error('broken')
    return 'whole'
  }
  const ended = await withProgress(screen, 10_000, work, () => nowMs).catch(String)
  expect(ended).toBe(fails ? 'Error: broken' : 'whole')
  return written
}

test('work of more than two seconds shows on a terminal how far it is, and nothing after its end', async () => {
  const written = await shownOn(true)
  expect(written).toHaveLength(10)
  expect(written[0]).toBe(`\r\u001b[K[${'#'.repeat(8)}${' '.repeat(32)}] 2,000 of 10,000`)
  expect(written.at(-2)).toBe(`\r\u001b[K[${'#'.repeat(40)}] 10,000 of 10,000`)
  expect(written.at(-1)).toBe('\r\u001b[K')
  expect((await shownOn(true, { fails: true })).at(-1)).toBe('\r\u001b[K')
})

test('a pipe gets nothing', async () => {
  expect(await shownOn(false)).toEqual([])
})
