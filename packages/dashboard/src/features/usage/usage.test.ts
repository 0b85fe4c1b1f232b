import type { Project } from '@rollkey/sdk/core'
import { describe, expect, it } from 'vitest'
import { labels } from './labels.ts'
import {
  forecast,
  latestDays,
  presentMonth,
  type Usage,
  usageByMonth,
  usageByStage,
  usageSearch,
} from '../../data/usage/usage.ts'

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
    { day: '2026-11-10', ...shop, evaluations: 4_998, reported: 70_000 },
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
const nowMs = Date.UTC(2026, 10, 10, 15)

function project(projectSlug: string, ...stageSlugs: string[]): Project {
  const facts = { revision: 1, createdAtMs: 0, updatedAtMs: 0, variables: 1 }
  const stages = stageSlugs.map((stageSlug) => ({ ...facts, stageSlug, name: stageSlug, isProduction: false }))
  return { projectSlug, name: projectSlug, createdAtMs: 0, variables: 1, stages }
}

describe('usage', () => {
  it('of stages is in the order of their projects, with what they store, and those that do not exist are last', () => {
    const projects = [project('shop', 'dev', 'prod'), project('api', 'prod')]
    expect(usageByStage(usage, Date.UTC(2026, 10, 1), projects)).toMatchObject([
      { place: { ...shop, stageSlug: 'dev' }, evaluations: 0, bytes: 10 },
      { place: shop, evaluations: 11_998, reported: 70_000, bytes: 20 },
      { place: api, evaluations: 300, bytes: 0 },
      { place: undefined, evaluations: 2, bytes: 0 },
    ])
  })

  it('of days ends today, and is of one stage or all', () => {
    const days = latestDays(usage, nowMs, 10)
    expect(days).toHaveLength(10)
    expect([days[0], days[1], days[9]]).toEqual([
      { startMs: Date.UTC(2026, 10, 1), evaluations: 7_300, reported: 0 },
      { startMs: Date.UTC(2026, 10, 2), evaluations: 0, reported: 0 },
      { startMs: Date.UTC(2026, 10, 10), evaluations: 5_000, reported: 70_000 },
    ])
    expect(latestDays(usage, nowMs, 10, 'api/prod')[0]?.evaluations).toBe(300)
    expect(latestDays(usage, nowMs, 1, 'none')).toEqual([
      { startMs: Date.UTC(2026, 10, 10), evaluations: 2, reported: 0 },
    ])
  })

  it('of months has their beginnings and ends', () => {
    expect(usageByMonth(usage)[0]).toEqual({
      startMs: Date.UTC(2026, 9, 1),
      endMs: Date.UTC(2026, 10, 1),
      evaluations: 70,
    })
    expect(presentMonth(usage).evaluations).toBe(12_300)
  })
})

describe('the forecast', () => {
  /** `count` days up to yesterday, with these numbers of evaluations in turn. */
  function after(count: number, ...evaluations: number[]): Usage {
    const days = Array.from({ length: count }, (_, at) => ({
      day: new Date(nowMs - (count - at) * 86_400_000).toISOString().slice(0, 10),
      ...shop,
      evaluations: evaluations[at % evaluations.length] ?? 0,
    }))
    const sum = days.reduce((total, each) => total + each.evaluations, 0)
    return { ...usage, days, months: [{ month: '2026-11', evaluations: sum }] }
  }

  it('needs seven complete days', () => {
    expect(forecast(after(6, 100), nowMs)).toBeUndefined()
    expect(forecast(after(7, 100), nowMs)).toBeDefined()
    expect(forecast({ ...usage, days: [] }, nowMs)).toBeUndefined()
  })

  it('is one number where every day is alike, and a range where they differ', () => {
    const even = forecast(after(9, 100), nowMs)
    // 900 so far, and 20.375 days to go.
    expect(even).toMatchObject({ low: 2_937.5, high: 2_937.5, limitMs: undefined })
    expect(even && labels.forecast(even)).toBe('About 2,900 by the end of the month')
    const uneven = forecast(after(9, 20, 100, 180), nowMs)
    expect(uneven && labels.forecast(uneven)).toBe('1,800 to 4,100 by the end of the month')
  })

  it('never falls below what was counted, and ends with the month', () => {
    expect(forecast(after(8, 1, 8_000), nowMs)).toMatchObject({ counted: 32_004, low: expect.any(Number) })
    expect(forecast(after(8, 1, 8_000), nowMs)?.low).toBeGreaterThanOrEqual(32_004)
    // Two digits would say 1,100.
    expect(labels.forecast({ counted: 1_145, low: 1_145, high: 1_200, limitMs: undefined })).toMatch(/^1,145 to 1,200 /)
    expect(labels.forecast({ counted: 1_145, low: 1_145, high: 1_148, limitMs: undefined })).toMatch(/^About 1,145 /)
    expect(forecast(after(9, 100), Date.UTC(2026, 11, 1))).toBeUndefined()
  })

  it('says when the limit is reached, if that is this month', () => {
    const limited = (limit: number) =>
      forecast({ ...after(9, 100), plan: { name: 'free', evaluationsPerMonth: limit } }, nowMs)?.limitMs
    expect(limited(1_900)).toBe(nowMs + 10 * 86_400_000)
    expect(limited(2_937)).toBeDefined()
    expect(limited(2_938)).toBeUndefined()
  })
})

it('an address names only spans and stages', () => {
  expect(usageSearch({ days: '90', stage: 'shop/prod', other: 1 })).toEqual({ days: 90, stage: 'shop/prod' })
  expect(usageSearch({ days: 30, stage: '' })).toEqual({})
  expect(usageSearch({ days: 31 })).toEqual({})
})
