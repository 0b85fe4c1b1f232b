import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../base/api-error.ts'

const maxRetries = 10
const pauseMs = 1_000

/**
 * Retries work while the store is unavailable, up to `maxRetries` times. Use it for work that takes minutes: a short outage
 * of the database, or a lock that another client holds, should not end it.
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
