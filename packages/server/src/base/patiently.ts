import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from './fault.ts'

const patience = 10
const pauseMs = 1_000

/**
 * For work of minutes, which neither a moment without the database nor a lock that somebody holds for long should end: does it
 * again while the store cannot do it, some times.
 */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let left = patience; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || left === 0) throw error
      await sleep(pauseMs)
    }
  }
}
