import { describe, expect, it } from 'vitest'
import { servedOver } from './served.ts'

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
      '24 hours',
      nowMs,
    )
    expect(served.map(({ startMs }) => startMs)).toEqual(
      Array.from({ length: 24 }, (_, at) => thisHour - (23 - at) * hour),
    )
    expect(served.slice(-2)).toEqual([
      { startMs: thisHour - hour, a: 2, b: 1 },
      { startMs: thisHour, a: 0, b: 0 },
    ])
  })

  it('7 days adds up the hours of each day, from midnight to midnight', () => {
    const midnight = new Date(2026, 10, 21).getTime()
    const served = servedOver(
      [-hour, 0, hour].map((after) => ({ fromMs: midnight + after, a: 1, b: 10 })),
      '7 days',
      nowMs,
    )
    expect(served).toHaveLength(7)
    expect(served[0]?.startMs).toBe(new Date(2026, 10, 15).getTime())
    expect(served.slice(-2)).toEqual([
      { startMs: new Date(2026, 10, 20).getTime(), a: 1, b: 10 },
      { startMs: midnight, a: 2, b: 20 },
    ])
  })

  it('goes on to an hour that has begun for the service alone', () => {
    const served = servedOver([{ fromMs: nowMs - (nowMs % hour) + hour, a: 1, b: 0 }], '24 hours', nowMs)
    expect(served.at(-1)).toMatchObject({ a: 1, b: 0 })
    expect(served).toHaveLength(25)
  })
})
