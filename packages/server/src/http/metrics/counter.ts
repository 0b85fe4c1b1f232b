import { Counter } from 'prom-client'

interface CounterDescription<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: Label[]
}

type Add<Label extends string> = (count: number, labels: Partial<Record<Label, string | number>>) => void

/** Returns a counter whose totals are read when the metrics are collected. */
export function collectedCounter<Label extends string>(
  description: CounterDescription<Label>,
  collect: (add: Add<Label>) => void,
): Counter<Label> {
  return new Counter({
    ...description,
    registers: [],
    collect() {
      this.reset()
      collect((count, labels) => this.inc(labels, count))
    },
  })
}
