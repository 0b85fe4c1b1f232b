import type { Counter, Metric } from 'prom-client'
import { collectedCounter } from './collected.ts'
import { metricRows } from './table.ts'

const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Counts of one endpoint, in plain memory so that the hot path does not pay for labels. */
class Counts {
  readonly byStatus = new Map<number, number>()
  /** Answers per bucket. A bucket counts answers up to its bound and above the previous bound. The last has no upper bound. */
  readonly buckets = Array.from({ length: secondsBuckets.length + 1 }, () => 0)
  seconds = 0

  add(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    let bucket = 0
    while (seconds > (secondsBuckets[bucket] ?? Infinity)) bucket++
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    this.seconds += seconds
  }
}

/** Counts of answers by endpoint. */
export class AnswerCounts {
  readonly #byEndpoint = new Map<string, Counts>()

  add(endpoint: string, status: number, seconds: number): void {
    let counts = this.#byEndpoint.get(endpoint)
    if (!counts) this.#byEndpoint.set(endpoint, (counts = new Counts()))
    counts.add(status, seconds)
  }

  get counter(): Counter<'endpoint' | 'status'> {
    return collectedCounter('rollkey_requests_total', (add) => {
      for (const [endpoint, { byStatus }] of this.#byEndpoint) {
        for (const [status, count] of byStatus) add(count, { endpoint, status })
      }
    })
  }

  /** The durations, in the form that the registry expects of a metric. */
  get histogram(): Metric {
    const name = 'rollkey_request_duration_seconds'
    const { help } = metricRows[name]
    const valuesOf = ([endpoint, { buckets, seconds }]: [string, Counts]): object[] => {
      let count = 0
      const cumulative = buckets.map((inBucket, index) => {
        count += inBucket
        return { metricName: `${name}_bucket`, labels: { endpoint, le: secondsBuckets[index] ?? '+Inf' }, value: count }
      })
      const total = { metricName: `${name}_count`, labels: { endpoint }, value: count }
      return [...cumulative, { metricName: `${name}_sum`, labels: { endpoint }, value: seconds }, total]
    }
    const get = (): object => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...this.#byEndpoint].flatMap(valuesOf),
    })
    return { name, get } as unknown as Metric
  }
}
