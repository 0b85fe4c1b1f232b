import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 25

/**
 * Resolves after `ms` milliseconds in which this process could have received an answer. A pause of the process itself
 * counts as one slice at most, so it does not look like a slow upstream service.
 */
export async function activeTimeout(ms: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < ms; waitedMs += sliceMs) await sleep(sliceMs, undefined, { ref: false })
}
