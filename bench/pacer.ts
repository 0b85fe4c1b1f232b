/**
 * Thread of the load that signals when the next request is due, to within some 50 µs. Timers of the event loop only have
 * millisecond resolution, and a spinning loop would take the core from a database that shares it.
 */
import { parentPort, workerData } from 'node:worker_threads'

/** Due time of the first request and the interval to the next, in nanoseconds of the monotonic clock. */
export interface Pace {
  readonly start: bigint
  readonly period: number
}

const { start, period } = workerData as Pace
const never = new Int32Array(new SharedArrayBuffer(4))
for (let count = 0; ; count++) {
  const waitMs = (Number(start - process.hrtime.bigint()) + count * period) / 1e6
  if (waitMs > 0) Atomics.wait(never, 0, 0, waitMs)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a worker thread, not a window
  parentPort?.postMessage(count)
}
