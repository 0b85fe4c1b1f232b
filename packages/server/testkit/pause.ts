import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Pauses between steps of a load, between looks at a state, or to spread kills over work. A verdict never depends on how long it takes:
 * what a test needs to have happened, it waits for.
 */
export function pause(ms: number): Promise<void> {
  return sleep(ms)
}
