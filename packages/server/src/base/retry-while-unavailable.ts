import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from './api-error.ts'

const maxRetries = 10
const pauseMs = 1_000

/**
 * For work of minutes, which neither a moment without the database nor a lock that somebody holds for long should end: does it
 * again while the store cannot do it, some times.
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (let left = maxRetries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || left === 0) throw error
      await sleep(pauseMs)
    }
  }
}
