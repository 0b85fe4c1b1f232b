import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../base/api-error.ts'

const maxRetries = 10
const pauseMs = 1_000

/**
 * Retries work while the store is unavailable, up to `maxRetries` times. It is for work of minutes, which neither a short
 * database outage nor a lock that another client holds for long should end.
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
