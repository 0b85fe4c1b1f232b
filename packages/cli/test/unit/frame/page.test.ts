import { describe, expect, test } from 'vitest'
import { readPages, wantedOf } from '../../../src/frame/page.ts'

/** Reads the numbers 1 to `count` in pages, and returns what was read, the limits asked for, and whether there may be more. */
async function read(count: number, wanted: number) {
  const items: number[] = []
  const limits: number[] = []
  const page = async (last: number | undefined, limit: number): Promise<number[]> => {
    limits.push(limit)
    const from = (last ?? 0) + 1
    return Array.from({ length: Math.min(limit, count - from + 1) }, (_, index) => from + index)
  }
  const more = await readPages<number>(wanted, 10, page, (found) => items.push(...found))
  return { length: items.length, last: items.at(-1), limits, more }
}

describe('readPages', () => {
  test.each([
    [3, 5, { length: 3, last: 3, limits: [5], more: false }],
    [30, 5, { length: 5, last: 5, limits: [5], more: true }],
    [30, 25, { length: 25, last: 25, limits: [10, 10, 5], more: true }],
    [25, Infinity, { length: 25, last: 25, limits: [10, 10, 10], more: false }],
    [0, Infinity, { length: 0, last: undefined, limits: [10], more: false }],
  ])('of %d items, %d are wanted', async (count, wanted, expected) => {
    expect(await read(count, wanted)).toEqual(expected)
  })
})

test('wantedOf refuses what is not a count', () => {
  expect(wantedOf({}, 50)).toBe(50)
  expect(wantedOf({ limit: '7' }, 50)).toBe(7)
  expect(wantedOf({ all: true }, 50)).toBe(Infinity)
  expect(() => wantedOf({ limit: '1.5' }, 50)).toThrow('--limit "1.5" is not a count')
  expect(() => wantedOf({ limit: '5', all: true }, 50)).toThrow('cannot be combined')
})
