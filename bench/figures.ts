/** Arithmetic of reports, and the format of its results. */
import type { LoadReport } from './load.ts'
import type { Measured } from './spell.ts'

export interface Medians {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly serverBusy: number
}

type Figure = (report: LoadReport) => number | undefined

export const perSecondOf: Figure = ({ perSecond }) => perSecond

/** Sorts ascending, without the rounds that a stalled machine made unmeasurable. */
function sorted(numbers: readonly number[]): number[] {
  return numbers.filter((number) => Number.isFinite(number)).toSorted((a, b) => a - b)
}

export function quantile(numbers: readonly number[], share: number): number {
  return sorted(numbers)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN
}

export function median(numbers: readonly number[]): number {
  const ascending = sorted(numbers)
  const middle = (ascending.length - 1) / 2
  return ((ascending[Math.floor(middle)] ?? Number.NaN) + (ascending[Math.ceil(middle)] ?? Number.NaN)) / 2
}

export function mediansOf({ rounds }: Measured): Medians {
  const medianOf = (pick: Figure): number => median(rounds.map((report) => pick(report) ?? Number.NaN))
  return {
    perSecond: medianOf(perSecondOf),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
    cpuUs: medianOf(({ serverCpuUs }) => serverCpuUs),
    serverBusy: medianOf(({ serverBusy }) => serverBusy),
  }
}

/** Returns the ratios of one figure of two servers, one per round, in ascending order. */
export function ratiosOf(over: Measured, under: Measured, pick: Figure): number[] {
  return sorted(
    over.rounds.map((report, round) => (pick(report) ?? Number.NaN) / (pick(under.rounds[round] as LoadReport) ?? 0)),
  )
}

/** Returns a fault if any request did not get a good answer. */
export function faultsOf(name: string, ...measured: readonly Measured[]): string[] {
  const reports = measured.flatMap(({ rounds }) => rounds)
  const kinds = ['status', 'shape', 'closed', 'late'] as const
  const texts = kinds.flatMap((kind) => {
    const count = reports.reduce((sum, { errors }) => sum + errors[kind], 0)
    return count > 0 ? [`${count} ${kind}`] : []
  })
  return texts.length > 0 ? [`${name}: errors (${texts.join(', ')})`] : []
}

/** Returns whether a server was not always busy, so that its requests per second understate its capacity. */
export function wasIdle(measured: Measured): boolean {
  return mediansOf(measured).serverBusy < 0.9
}

export function stolenFrom(measured: readonly Measured[]): number {
  return median(measured.flatMap(({ rounds }) => rounds.map(({ stolen }) => stolen)))
}

export function whole(number: number): string {
  return Number.isNaN(number) ? '–' : Math.round(number).toLocaleString('en')
}

export function percent(share: number): string {
  return `${whole(share * 100)} %`
}

/** Formats the median and the range of the rounds. */
export function spanText(numbers: readonly number[], digits = 2): string {
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)]
  return `${median(numbers).toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`
}

export function latencyText({ p50Ms, p99Ms }: Medians): string {
  return `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`
}
