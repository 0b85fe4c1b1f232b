import { Counter, Gauge } from 'prom-client'
import { metricRows, type CounterName, type GaugeName, type LabelOf } from './table.ts'

type Sum<Label extends string> = (count: number, labels: Partial<Record<Label, string | number>>) => void

/** Returns a counter whose totals are read when the metrics are collected. */
export function collectedCounter<Name extends CounterName>(
  name: Name,
  collect: (add: Sum<LabelOf<Name>>) => void,
): Counter<LabelOf<Name>> {
  const { help, labels } = metricRows[name]
  return new Counter({
    name,
    help,
    labelNames: [...labels] as LabelOf<Name>[],
    registers: [],
    collect() {
      this.reset()
      collect((count, its) => this.inc(its, count))
    },
  })
}

type Set<Label extends string> = (value: number, labels?: Partial<Record<Label, string | number>>) => void

/** Returns a gauge whose values are read when the metrics are collected. `aggregator`: what it is of several workers. */
export function collectedGauge<Name extends GaugeName>(
  name: Name,
  aggregator: 'sum' | 'min' | 'max' | 'average',
  collect: (set: Set<LabelOf<Name>>) => Promise<void> | void,
): Gauge<LabelOf<Name>> {
  const { help, labels } = metricRows[name]
  return new Gauge({
    name,
    help,
    labelNames: [...labels] as LabelOf<Name>[],
    registers: [],
    aggregator,
    collect() {
      return collect((value, its) => this.set(its ?? {}, value))
    },
  })
}
