/** Components of a simulation: events in the order of their times, random numbers, and latencies. Times are in ms. */
export class Events {
  now = 0
  readonly #heap: { at: number; run: () => void }[] = []

  at(at: number, run: () => void): void {
    const heap = this.#heap
    let place = heap.length
    for (let up = (place - 1) >> 1; place > 0 && (heap[up] as { at: number }).at > at; up = (place - 1) >> 1) {
      heap[place] = heap[up] as (typeof heap)[0]
      place = up
    }
    heap[place] = { at, run }
  }

  #take(): void {
    const heap = this.#heap
    const { at, run } = heap[0] as (typeof heap)[0]
    const last = heap.pop() as (typeof heap)[0]
    if (heap.length > 0) {
      let place = 0
      for (;;) {
        let down = 2 * place + 1
        if (down >= heap.length) break
        if (down + 1 < heap.length && (heap[down + 1] as typeof last).at < (heap[down] as typeof last).at) down++
        if ((heap[down] as typeof last).at >= last.at) break
        heap[place] = heap[down] as typeof last
        place = down
      }
      heap[place] = last
    }
    this.now = at
    run()
  }

  runUntil(end: number): void {
    while (this.#heap.length > 0 && (this.#heap[0] as { at: number }).at < end) this.#take()
  }
}

/** Latencies in buckets of one percent. */
export class Latencies {
  readonly #buckets = new Float64Array(2_500)
  failed = 0
  answered = 0

  add(ms: number, weight: number): void {
    const bucket = Math.max(0, Math.min(2_499, Math.round(Math.log(ms / 0.001) / Math.log(1.01))))
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + weight
    this.answered += weight
  }

  at(share: number): number {
    let left = this.answered * share
    const bucket = this.#buckets.findIndex((weight) => (left -= weight) <= 0)
    return 0.001 * 1.01 ** bucket
  }
}

export function poisson(expected: number, random: () => number): number {
  if (expected > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.round(expected + Math.sqrt(expected) * normal))
  }
  let count = 0
  for (let left = Math.exp(-expected), product = random(); product > left; product *= random()) count++
  return count
}
