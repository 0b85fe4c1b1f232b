import { Breaker, UpstreamUnavailable } from '../../upstream/breaker.ts'
import type { Clock } from '../../base/clock.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsUnavailable } from './kms-error.ts'

/** Duration from which a call is slow. Several attempts that are refused at once take less, pauses included. */
const defaultSlowMs = 2_000

/**
 * Guards a KMS on the network with a breaker. After a call that waited in vain, further calls fail at once for a while, and
 * then one call at a time tries again. Data keys in memory need no call, and requests for other keys do not queue up.
 */
export function withBreaker(kms: Kms, clock: Clock, slowMs = defaultSlowMs): Kms {
  const breaker = new Breaker({ clock, slowMs, isAnswer: (error) => error instanceof CannotUnwrap })
  const run = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await breaker.run(call)
    } catch (error) {
      throw error instanceof UpstreamUnavailable
        ? kmsUnavailable(kms.name, 'unreachable', 'no answer a moment ago')
        : error
    }
  }
  return {
    name: kms.name,
    wrap: (key, context) => run(() => kms.wrap(key, context)),
    unwrap: (wrapped, context) => run(() => kms.unwrap(wrapped, context)),
  }
}
