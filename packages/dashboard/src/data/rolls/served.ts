/** How often the values of a roll were served, by hours and days. */
import type { Answer, HistoryChange } from '@rollkey/sdk/core'
import type { ServedCounts } from '@rollkey/contract/rules'

export type Hour = Answer<'rollCounts'>['hours'][number]

const hour = 3_600_000
const day = 24 * hour

/** Time spans of the counts: the present hour or day, and those before it. */
export const spans = {
  '24h': { by: 'hour', length: 24, refreshMs: 10_000 },
  '7d': { by: 'day', length: 7, refreshMs: 60_000 },
  '30d': { by: 'day', length: 30, refreshMs: 60_000 },
  '90d': { by: 'day', length: 90, refreshMs: 60_000 },
} as const
export type SpanName = keyof typeof spans
export const spanNames = Object.keys(spans) as SpanName[]

/** Returns the start of an hour in UTC, or of a day in the reader's time zone. */
function startOf(by: 'hour' | 'day', timeMs: number): number {
  return by === 'hour' ? timeMs - (timeMs % hour) : new Date(timeMs).setHours(0, 0, 0, 0)
}

/** Returns when the first hour or day of a span begins. */
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
  /** How many of these a pin decided. */
  readonly pins: ServedCounts
  /** How many of these a targeting rule decided. */
  readonly rules: ServedCounts
  /** How many of these the chance decided. */
  readonly byChance: ServedCounts
  /** How many of these apps decided by themselves. */
  readonly reported: ServedCounts
  /** The expected range of their share of A. Absent if the chance decided none, or changed within one of the hours. */
  readonly expected?: ShareRange | undefined
}

/** Returns the counts of each hour or day of a span, the earliest first. */
export function servedOver(hours: readonly Hour[], span: SpanName, nowMs: number): readonly Served[] {
  const { by } = spans[span]
  const beginningMs = beginningOf(span, nowMs)
  // The clock of the service may be ahead.
  const endMs = Math.max(nowMs, hours.at(-1)?.fromMs ?? 0)
  const byStart = new Map<number, Hour[]>()
  for (let timeMs = beginningMs; timeMs <= endMs; timeMs += hour) byStart.set(startOf(by, timeMs), [])
  // The answer may be from when the span began earlier.
  for (const each of hours) if (each.fromMs >= beginningMs) byStart.get(startOf(by, each.fromMs))?.push(each)
  return [...byStart].map(([startMs, counts]) => {
    const byChance = counts.map(chanceCounts)
    return {
      startMs,
      ...sumOf(counts),
      pins: sumOf(counts.map(({ pins }) => pins ?? none)),
      rules: sumOf(counts.map(({ rules }) => rules ?? none)),
      byChance: sumOf(byChance),
      reported: sumOf(counts.map(({ reported }) => reported ?? none)),
      expected: expectedRange(byChance),
    }
  })
}

const none: ServedCounts = { a: 0, b: 0 }

function sumOf(counts: readonly ServedCounts[]): ServedCounts {
  return {
    a: counts.reduce((sum, { a }) => sum + a, 0),
    b: counts.reduce((sum, { b }) => sum + b, 0),
  }
}

/** Returns what the chance decided in an hour, which alone can fit it. */
function chanceCounts({ a, b, pins = none, rules = none, chance }: Hour): ServedCounts {
  return { a: a - pins.a - rules.a, b: b - pins.b - rules.b, chance }
}

/** A change of the chance of a roll. */
export interface ChanceChange {
  readonly atMs: number
  /** The former chance. Absent if the variable was not a roll before. */
  readonly from: number | undefined
  readonly to: number
  readonly change: HistoryChange
}

/** Returns those changes of a roll that changed its chance, in the order of the changes. */
export function chanceChanges(changes: readonly HistoryChange[]): readonly ChanceChange[] {
  return changes.flatMap((change) => {
    const { chance, before, writtenAtMs } = change
    // The replaced state may be older than the history. Whether the chance changed is unknown then.
    const isUnknown = before === undefined && change.change === 'updated'
    if (chance === undefined || isUnknown || before?.chance === chance) return []
    return { atMs: writtenAtMs, from: before?.chance, to: chance, change }
  })
}

/** Returns the position of a time among columns, such as 2.5 for the end of the third; undefined outside them. */
export function positionIn(served: readonly Served[], span: SpanName, timeMs: number): number | undefined {
  const at = served.findLastIndex(({ startMs }) => startMs <= timeMs)
  const start = served[at]?.startMs
  if (start === undefined) return undefined
  const end = served[at + 1]?.startMs ?? start + (spans[span].by === 'hour' ? hour : day)
  return at - 0.5 + Math.min(1, (timeMs - start) / (end - start))
}

/** Shares from 0 to 1, both included. */
export interface ShareRange {
  readonly low: number
  readonly high: number
}

/** Standard deviations on either side of the mean within which 95% of a normal distribution lie. */
const deviations = 1.96

/**
 * Returns the range in which the share of A lies in 95 of 100 cases; undefined where nothing was served or the chance changed.
 * It assumes that every evaluation is of another user, like the test of the fit.
 */
export function expectedRange(counts: readonly ServedCounts[]): ShareRange | undefined {
  let [served, expected, variance] = [0, 0, 0]
  for (const { a, b, chance } of counts) {
    if (a + b === 0) continue
    if (chance === undefined) return undefined
    served += a + b
    expected += (a + b) * chance
    variance += (a + b) * chance * (1 - chance)
  }
  if (served === 0) return undefined
  const reach = deviations * Math.sqrt(variance)
  return { low: Math.max(0, (expected - reach) / served), high: Math.min(1, (expected + reach) / served) }
}

/** From how many on, a share means something. */
const minServed = 30

/** Returns whether the chance decided so few that their share says nothing. Where everyone gets the same, one is enough. */
export function isTooFew({ a, b }: ServedCounts, expected: ShareRange): boolean {
  return a + b < minServed && expected.low !== expected.high
}

/** Returns whether the share of an ordinary hour or day of a span means something; hours and days without evaluations do not count. */
export function isTelling(hours: readonly Hour[], span: SpanName, nowMs: number): boolean {
  const counts = servedOver(hours, span, nowMs)
    .map(({ a, b }) => a + b)
    .filter((count) => count > 0)
    .toSorted((one, other) => one - other)
  return (counts[Math.floor(counts.length / 2)] ?? 0) >= minServed
}

/**
 * Returns the span that is shown first, by the counts of the longest one: the shortest that means something. If none does, it is the
 * longest, except where it has no more than the shortest.
 */
export function usualSpan(hours: readonly Hour[], nowMs: number): SpanName {
  const isNew = hours.every(({ fromMs }) => fromMs >= beginningOf('24h', nowMs))
  return spanNames.find((span) => isTelling(hours, span, nowMs)) ?? (isNew ? '24h' : '90d')
}
