/** How often the values of a roll were served, by hours and days. */
import type { Answer } from '@rollkey/sdk/core'

export type Hour = Answer<'rollCounts'>['hours'][number]

const hour = 3_600_000

/** Times to look back over: the present hour or day, and those before it. */
export const spans = {
  '24 hours': { by: 'hour', length: 24, refreshMs: 10_000 },
  '7 days': { by: 'day', length: 7, refreshMs: 60_000 },
  '30 days': { by: 'day', length: 30, refreshMs: 60_000 },
  '90 days': { by: 'day', length: 90, refreshMs: 60_000 },
} as const
export type SpanName = keyof typeof spans

/** The hour or day of a time. Hours are those of UTC, days those of whoever looks. */
function startOf(by: 'hour' | 'day', timeMs: number): number {
  return by === 'hour' ? timeMs - (timeMs % hour) : new Date(timeMs).setHours(0, 0, 0, 0)
}

/** When the first hour or day begins. */
export function beginningOf(span: SpanName, nowMs: number): number {
  const { by, length } = spans[span]
  if (by === 'hour') return startOf(by, nowMs) - (length - 1) * hour
  const today = new Date(startOf(by, nowMs))
  return today.setDate(today.getDate() - length + 1)
}

export interface Served {
  readonly startMs: number
  readonly a: number
  readonly b: number
}

/** By hours or days, also those in which nothing was served; the earliest first. */
export function servedOver(hours: readonly Hour[], span: SpanName, nowMs: number): readonly Served[] {
  const { by } = spans[span]
  const byStart = new Map<number, Served>()
  const add = (timeMs: number, a: number, b: number): void => {
    const startMs = startOf(by, timeMs)
    const before = byStart.get(startMs)
    byStart.set(startMs, { startMs, a: a + (before?.a ?? 0), b: b + (before?.b ?? 0) })
  }
  const beginningMs = beginningOf(span, nowMs)
  // The clock of the service may be ahead.
  const endMs = Math.max(nowMs, hours.at(-1)?.fromMs ?? 0)
  for (let timeMs = beginningMs; timeMs <= endMs; timeMs += hour) add(timeMs, 0, 0)
  // Some were asked for when the time began earlier.
  for (const { fromMs, a, b } of hours) if (fromMs >= beginningMs) add(fromMs, a, b)
  return [...byStart.values()]
}
