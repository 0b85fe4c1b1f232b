import { Breaker, NeighborUnavailable } from '../../base/breaker.ts'
import type { Clock } from '../../base/clock.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsTrouble } from './kms-error.ts'

/** What several tries that are refused at once take with their pauses is not slow. */
const usualSlowMs = 2_000

/**
 * A KMS behind the network. After a call that waited for nothing, further calls are refused at once for a time, and then one at
 * a time tries again: data keys in memory need none of them, and requests for others do not wait one after the other.
 */
export function guarded(kms: Kms, clock: Clock, slowMs = usualSlowMs): Kms {
  const breaker = new Breaker({ clock, slowMs, isAnswer: (error) => error instanceof CannotUnwrap })
  const run = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await breaker.run(call)
    } catch (error) {
      throw error instanceof NeighborUnavailable ? kmsTrouble(kms.name, 'unreachable', 'no answer a moment ago') : error
    }
  }
  return {
    name: kms.name,
    wrap: (key, context) => run(() => kms.wrap(key, context)),
    unwrap: (wrapped, context) => run(() => kms.unwrap(wrapped, context)),
  }
}
