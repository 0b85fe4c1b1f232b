/** Tests that the chances of a roll are the same, in however many pages its history is read. */
import { expect, test } from 'vitest'
import { chanceIn, ChanceHistory } from '../../src/evaluation/chance-history.ts'
import type { AttributesRow } from '../../src/storage/history.ts'
import type { Reader } from '../../src/storage/sql.ts'

const hour = 3_600_000
const roll = { stageId: 'stg_1', name: 'R' }

/** Returns states with these chances, the newest first. The first of them was written at the start, each other one `gapMs` later. */
function statesOf(chances: readonly (number | null)[], gapMs: number): AttributesRow[] {
  return chances
    .map((chance, index) => ({
      facets: chance === null ? null : JSON.stringify({ chance }),
      written_at_ms: index * gapMs,
      revision: index + 2,
    }))
    .toReversed()
}

/** Returns a reader of the states, and how many it has returned. */
function readerOf(states: readonly AttributesRow[]): { readonly sql: Reader; readonly read: () => number } {
  let read = 0
  const all = async (_text: string, ...[, , before, max]: unknown[]): Promise<never[]> => {
    const page = states.filter(({ revision }) => revision < Number(before)).slice(0, Number(max))
    read += page.length
    return page as never[]
  }
  return { sql: { all }, read: () => read }
}

const all = () => false

test('the chance and its start are found behind many states that did not change it', async () => {
  const states = statesOf([...Array.from({ length: 700 }, () => 0.1), ...Array.from({ length: 900 }, () => 0.5)], 1_000)
  const { sql, read } = readerOf(states)
  const history = await ChanceHistory.read(sql, roll, ({ hasStart }) => hasStart, { latest: states.slice(0, 8) })
  expect(history.sinceMs).toBe(700_000)
  // The whole hour before the start is read, and nothing that is older than it.
  expect([history.inHour(0), history.inHour(-hour), read()]).toEqual([undefined, undefined, 1_592])
  expect(history.reaches(0)).toBe(true)
})

test('no more is read than is needed', async () => {
  const states = statesOf([...Array.from({ length: 5_000 }, () => 0.1), 0.2, 0.5], hour)
  const { sql, read } = readerOf(states)
  const history = await ChanceHistory.read(sql, roll, ({ hasStart }) => hasStart, { latest: states.slice(0, 8) })
  expect([history.sinceMs, history.inHour(5_001 * hour), read()]).toEqual([5_001 * hour, 0.5, 0])
  const past = await ChanceHistory.read(sql, roll, (each) => each.reaches(4_900 * hour))
  expect([past.inHour(4_900 * hour), read()]).toEqual([0.1, 500])
})

test('an hour has a chance if it had only one', async () => {
  const states = statesOf([0.1, 0.1, 0.2, null, 0.2], hour / 2)
  const history = await ChanceHistory.read(readerOf(states).sql, roll, all)
  expect([-1, 0, 1, 2, 3].map((index) => history.inHour(index * hour))).toEqual([undefined, 0.1, 0.2, 0.2, 0.2])
  expect(history.sinceMs).toBe(2 * hour)
  expect((await ChanceHistory.read(readerOf([]).sql, roll, all)).sinceMs).toBeUndefined()
  expect([chanceIn(null), chanceIn('{"chance":0.3}')]).toEqual([undefined, 0.3])
})
