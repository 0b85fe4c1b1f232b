import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 25

/**
 * Resolves after `ms` milliseconds in which this process could have heard an answer: a pause of the process itself costs
 * one slice, and is not taken for slowness of the neighbor.
 */
export async function activeTimeout(ms: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < ms; waitedMs += sliceMs) await sleep(sliceMs, undefined, { ref: false })
}
