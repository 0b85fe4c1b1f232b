import { expect, it } from 'vitest'
import type { Change } from '../variables/change.ts'
import { changesSince } from './changes-since.ts'

/** A history of so many revisions, each of so many changes, and how often it was asked. */
function history(revisions: number, changesEach: number) {
  const asked: (number | undefined)[] = []
  const pageBefore = async (before = revisions + 1): Promise<readonly Change[]> => {
    asked.push(before)
    const page: Change[] = []
    for (let revision = before - 1; revision > 0 && page.length < 200; revision--) {
      for (let i = 0; i < changesEach; i++) {
        page.push({ revision, name: `N${i}`, change: 'updated', writtenAtMs: 0, writtenBy: 'u' })
      }
    }
    return page
  }
  return { pageBefore, asked }
}

it.each([
  ['the newest alone', 299, 1, [301]],
  ['a page', 100, 200, [301]],
  ['a page and one', 99, 201, [301, 101]],
  ['all', 0, 300, [301, 101]],
])('reads no more than it needs: %s', async (_, revision, count, pages) => {
  const { pageBefore, asked } = history(300, 1)
  const changes = await changesSince(revision, pageBefore)
  expect(changes?.map((change) => change.revision)).toEqual(Array.from({ length: count }, (__, at) => 300 - at))
  expect(asked).toEqual(pages)
})

it('ends with the history, also at the end of a page', async () => {
  expect(await changesSince(0, history(1, 200).pageBefore)).toHaveLength(200)
  expect(await changesSince(0, async () => [])).toEqual([])
})

it('gives up beyond 10,000 changes', async () => {
  expect(await changesSince(1, history(11, 1_000).pageBefore)).toHaveLength(10_000)
  expect(await changesSince(1, history(13, 1_000).pageBefore)).toBeUndefined()
})
