import { describe, expect, it } from 'vitest'
import { presentMonth, usageByDay, usageByMonth, usageByStage, type Usage } from './usage.ts'
import { amountText, limitDay, monthSentence } from './labels.ts'

const shop = { projectSlug: 'shop', stageSlug: 'prod' }
const api = { projectSlug: 'api', stageSlug: 'prod' }

const usage: Usage = {
  months: [
    { month: '2026-10', evaluations: 70 },
    { month: '2026-11', evaluations: 12_300 },
  ],
  days: [
    { day: '2026-10-31', ...shop, evaluations: 70 },
    { day: '2026-11-01', ...api, evaluations: 300 },
    { day: '2026-11-01', ...shop, evaluations: 7_000 },
    { day: '2026-11-10', ...shop, evaluations: 4_998 },
    { day: '2026-11-10', evaluations: 2 },
  ],
  storage: {
    bytes: 30,
    byStage: [
      { ...shop, stageSlug: 'dev', bytes: 10 },
      { ...shop, bytes: 20 },
    ],
  },
  plan: { name: 'unlimited' },
}
const month = presentMonth(usage)
const tenDaysIn = Date.UTC(2026, 10, 11)

describe('usage', () => {
  it('of stages is of this month, the most first, with what they store', () => {
    expect(usageByStage(usage)).toMatchObject([
      { place: shop, evaluations: 11_998, bytes: 20 },
      { place: api, evaluations: 300, bytes: 0 },
      { place: undefined, evaluations: 2, bytes: 0 },
      { place: { ...shop, stageSlug: 'dev' }, evaluations: 0, bytes: 10 },
    ])
  })

  it('of days is of this month, all of it, together or of a stage', () => {
    const days = usageByDay(usage, undefined)
    expect(days).toHaveLength(30)
    expect([days[0], days[1], days[9]]).toEqual([
      { startMs: Date.UTC(2026, 10, 1), evaluations: 7_300 },
      { startMs: Date.UTC(2026, 10, 2), evaluations: 0 },
      { startMs: Date.UTC(2026, 10, 10), evaluations: 5_000 },
    ])
    const [first, second, nowhere] = usageByStage(usage).map(({ key }) => usageByDay(usage, key))
    expect(first?.filter(({ evaluations }) => evaluations > 0)).toHaveLength(2)
    expect(second?.[0]?.evaluations).toBe(300)
    expect(nowhere?.[9]?.evaluations).toBe(2)
  })

  it('of months is as told', () => {
    expect(usageByMonth(usage)).toEqual([
      { startMs: Date.UTC(2026, 9, 1), evaluations: 70 },
      { startMs: Date.UTC(2026, 10, 1), evaluations: 12_300 },
    ])
  })
})

describe('the month in words', () => {
  it.each([
    [100_000, tenDaysIn, '12,300 of 100,000 so far; at this pace about 37,000 by the end of the month.'],
    [undefined, tenDaysIn, '12,300 so far; at this pace about 37,000 by the end of the month.'],
    [100_000, Date.UTC(2026, 10, 1, 23), '12,300 of 100,000 so far.'],
    [undefined, Date.UTC(2027, 0, 1), '12,300 so far; at this pace about 12,000 by the end of the month.'],
  ])('with the limit %j, at %j: %s', (limit, nowMs, sentence) => {
    expect(monthSentence(month, limit, nowMs)).toBe(sentence)
  })

  it('says of few as they are', () => {
    expect(monthSentence({ ...month, evaluations: 4 }, undefined, tenDaysIn)).toMatch('about 12 by')
  })

  it.each([
    [24_600, 'Nov 21'],
    [36_899, 'Nov 30'],
    [36_900, undefined],
    [undefined, undefined],
  ])('a limit of %j is reached %j', (limit, day) => {
    expect(limitDay(month, limit, tenDaysIn)).toBe(day)
  })

  it('amounts stand beside their limit, if there is one', () => {
    expect(amountText(5, 10, String)).toBe('5 of 10')
    expect(amountText(5, undefined, String)).toBe('5')
  })
})
