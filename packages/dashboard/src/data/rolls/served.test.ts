import type { HistoryChange } from '@rollkey/sdk/core'
import { describe, expect, it } from 'vitest'
import { chanceChanges, expectedRange, isTooFew, positionIn, servedOver, usualSpan } from './served.ts'

const hour = 3_600_000
const nowMs = new Date(2026, 10, 21, 14, 20).getTime()

describe('servedOver', () => {
  it('24 hours has the present hour last, those in which nothing was served, and no earlier ones', () => {
    const thisHour = nowMs - (nowMs % hour)
    const served = servedOver(
      [
        { fromMs: thisHour - 24 * hour, a: 1, b: 1 },
        { fromMs: thisHour - hour, a: 2, b: 1 },
      ],
      '24h',
      nowMs,
    )
    expect(served.map(({ startMs }) => startMs)).toEqual(
      Array.from({ length: 24 }, (_, at) => thisHour - (23 - at) * hour),
    )
    expect(served.slice(-2)).toMatchObject([
      { startMs: thisHour - hour, a: 2, b: 1 },
      { startMs: thisHour, a: 0, b: 0 },
    ])
  })

  it('7 days adds up the hours of each day, from midnight to midnight', () => {
    const midnight = new Date(2026, 10, 21).getTime()
    const served = servedOver(
      [-hour, 0, hour].map((after) => ({ fromMs: midnight + after, a: 1, b: 10 })),
      '7d',
      nowMs,
    )
    expect(served).toHaveLength(7)
    expect(served[0]?.startMs).toBe(new Date(2026, 10, 15).getTime())
    expect(served.slice(-2)).toMatchObject([
      { startMs: new Date(2026, 10, 20).getTime(), a: 1, b: 10 },
      { startMs: midnight, a: 2, b: 20 },
    ])
  })

  it('tells what pins and rules and what apps decided, and expects a share of what the chance decided', () => {
    const thisHour = nowMs - (nowMs % hour)
    const steps = { pins: { a: 7, b: 0 }, rules: { a: 3, b: 0 }, chance: 0.5 }
    const counts = { fromMs: thisHour, a: 60, b: 50, ...steps, reported: { a: 40, b: 2 } }
    const served = servedOver([counts], '24h', nowMs).at(-1)
    expect(served).toMatchObject({ a: 60, b: 50, pins: { a: 7 }, rules: { a: 3 }, byChance: { a: 50, b: 50 } })
    expect(served?.reported).toEqual({ a: 40, b: 2 })
    // 0.5 ± 1.96 * sqrt(25) / 100.
    expect(served?.expected?.high).toBeCloseTo(0.598, 10)
  })

  it('goes on to an hour that has begun for the service alone', () => {
    const served = servedOver([{ fromMs: nowMs - (nowMs % hour) + hour, a: 1, b: 0 }], '24h', nowMs)
    expect(served.at(-1)).toMatchObject({ a: 1, b: 0 })
    expect(served).toHaveLength(25)
  })
})

describe('where the share of an hour or day is expected', () => {
  const [morning = 0, noon = 0] = [9, 12].map((hours) => new Date(2026, 10, 21, hours).getTime())

  it('is known where the chance of each hour is', () => {
    const hours = [
      { fromMs: morning, a: 50, b: 50, chance: 0.5 },
      { fromMs: noon, a: 0, b: 100, chance: 0 },
    ]
    const { low = 0, high = 0 } = servedOver(hours, '7d', nowMs).at(-1)?.expected ?? {}
    // (50 ± 1.96 * sqrt(25)) / 200.
    expect(low).toBeCloseTo(0.201, 10)
    expect(high).toBeCloseTo(0.299, 10)
  })

  it('is unknown where the chance changed', () => {
    const hours = [
      { fromMs: morning, a: 50, b: 50, chance: 0.5 },
      { fromMs: noon, a: 1, b: 1 },
    ]
    expect(servedOver(hours, '7d', nowMs).at(-1)).toMatchObject({
      startMs: new Date(2026, 10, 21).getTime(),
      a: 51,
      b: 51,
      expected: undefined,
    })
  })
})

describe('the changes of a chance', () => {
  function change(revision: number, fields: Partial<HistoryChange>): HistoryChange {
    return { revision, name: 'R', change: 'updated', writtenAtMs: revision, writtenBy: 'ada', ...fields }
  }
  const before = (chance?: number) => ({
    kind: 'ab_roll' as const,
    digests: {},
    ...(chance !== undefined && { chance }),
  })

  it('are those after which it is another one', () => {
    const changes = [
      change(6, { change: 'deleted', before: before(0.5) }),
      change(5, { chance: 0.5, before: before(0.25) }),
      change(4, { chance: 0.25, before: before(0.25) }),
      change(3, { chance: 0.25, before: before(0.1) }),
      change(2, { change: 'created', chance: 0.1 }),
    ]
    expect(chanceChanges(changes).map(({ from, to, atMs }) => [from, to, atMs])).toEqual([
      [0.25, 0.5, 5],
      [0.1, 0.25, 3],
      [undefined, 0.1, 2],
    ])
  })

  it('leave out an update whose state before is no longer kept', () => {
    expect(chanceChanges([change(5, { chance: 0.5 })])).toEqual([])
  })
})

describe('the position of a time', () => {
  const served = servedOver([], '24h', nowMs)
  const first = served[0]?.startMs ?? 0

  it.each([
    [first, -0.5],
    [first + hour / 2, 0],
    [first + 3 * hour, 2.5],
    [first + 100 * hour, 23.5],
    [first - 1, undefined],
  ])('%j is at %j', (timeMs, position) => {
    expect(positionIn(served, '24h', timeMs)).toBe(position)
  })
})

describe('the expected range of the share of A', () => {
  it('is 1.96 standard errors to each side of the chance', () => {
    // sqrt(0.25 * 0.75 / 1,200) = 0.0125.
    const { low, high } = expectedRange([{ a: 300, b: 900, chance: 0.25 }]) ?? {}
    expect(low).toBeCloseTo(0.2255, 10)
    expect(high).toBeCloseTo(0.2745, 10)
  })

  it('is that of all evaluations where hours had different chances', () => {
    const { low = 0, high = 0 } =
      expectedRange([
        { a: 0, b: 100, chance: 0 },
        { a: 100, b: 0, chance: 1 },
      ]) ?? {}
    expect([low, high]).toEqual([0.5, 0.5])
  })

  it('never leaves 0 to 1', () => {
    expect(expectedRange([{ a: 1, b: 0, chance: 0.5 }])).toEqual({ low: 0, high: 1 })
  })

  it.each([
    ['nothing was served', [{ a: 0, b: 0, chance: 0.5 }]],
    [
      'the chance changed',
      [
        { a: 1, b: 1, chance: 0.5 },
        { a: 1, b: 1 },
      ],
    ],
  ])('is unknown where %s', (_, counts) => {
    expect(expectedRange(counts)).toBeUndefined()
  })

  it('leaves out hours without evaluations', () => {
    expect(
      expectedRange([
        { a: 0, b: 0 },
        { a: 5, b: 0, chance: 1 },
      ]),
    ).toEqual({ low: 1, high: 1 })
  })
})

it.each([
  [{ a: 1, b: 0, chance: 0.5 }, true],
  [{ a: 4, b: 0, chance: 0.5 }, true],
  [{ a: 20, b: 20, chance: 0.5 }, false],
  [{ a: 1, b: 0, chance: 1 }, false],
])('%j is too few to mean something: %j', (counts, isFew) => {
  const range = expectedRange([counts])
  expect(range && isTooFew(counts, range)).toBe(isFew)
})

it('the shortest span is shown first whose ordinary hour or day has enough evaluations', () => {
  const start = nowMs - (nowMs % hour)
  const everyHour = (count: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({ fromMs: start - (from + at) * hour, a: count - 1, b: 1 }))
  expect(usualSpan(everyHour(30, 0, 100), nowMs)).toBe('24h')
  expect(usualSpan(everyHour(29, 0, 100), nowMs)).toBe('7d')
  expect(usualSpan([...everyHour(1, 0, 100), ...everyHour(2, 100, 700)], nowMs)).toBe('30d')
  expect(usualSpan(everyHour(1, 0, 100), nowMs)).toBe('90d')
  // A new roll is not lost among days without it.
  expect(usualSpan(everyHour(1, 0, 2), nowMs)).toBe('24h')
  expect(usualSpan([], nowMs)).toBe('24h')
})
