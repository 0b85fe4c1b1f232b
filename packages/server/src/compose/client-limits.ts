/** Creates the limits of a single client from the settings: its request rate and the memory that it occupies. */
import { clientAddress, isProxyOf, type AddressOf } from '../http/limits/client-address.ts'
import type { ConnectionBounds } from '../http/limits/connections.ts'
import { PendingBodies } from '../http/limits/pending-bodies.ts'
import { RateLimits } from '../http/limits/rate-limits.ts'
import { UnreadAnswers } from '../http/limits/unread-answers.ts'
import type { Config } from '../config.ts'
import type { Platform } from './platform.ts'

export interface ClientLimits {
  readonly addressOf: AddressOf
  readonly rateLimits: RateLimits
  readonly pendingBodies: PendingBodies
  readonly unreadAnswers: UnreadAnswers
}

function addressOfClients({ config, log }: Platform): AddressOf {
  return clientAddress(config.TRUSTED_PROXIES, (address) => {
    log.warn(
      'a request was forwarded by an address that is not in ROLLKEY_TRUSTED_PROXIES: if it is your proxy, add it, otherwise all its clients share one rate limit',
      { proxy: address },
    )
  })
}

export function clientLimitsOf(platform: Platform): ClientLimits {
  const { config, clock } = platform
  const addressOf = addressOfClients(platform)
  const maxPerMinute = {
    requests: config.RATE_LIMIT_REQUESTS,
    evaluations: config.RATE_LIMIT_EVALUATIONS,
    clientKeys: config.RATE_LIMIT_CLIENT_KEYS,
    expensive: config.RATE_LIMIT_EXPENSIVE,
    address: config.RATE_LIMIT_IP,
  }
  const rateLimits = new RateLimits({ maxPerMinute, addressOf, clock })
  const onRefused = (limit: string): void => rateLimits.countRefusal(limit)
  const pendingBodies = new PendingBodies({
    bounds: { perClient: config.MAX_PENDING_BODY_BYTES_PER_IP, total: config.MAX_PENDING_BODY_BYTES },
    addressOf,
    isProxy: isProxyOf(config.TRUSTED_PROXIES),
    onRefused,
  })
  const unreadAnswers = new UnreadAnswers({
    bounds: { perClient: config.MAX_UNREAD_BYTES_PER_CALLER, total: config.MAX_UNREAD_BYTES },
    onRefused,
  })
  return { addressOf, rateLimits, pendingBodies, unreadAnswers }
}

export function connectionBoundsOf({
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_IP,
  TRUSTED_PROXIES,
}: Config): ConnectionBounds {
  return { total: MAX_CONNECTIONS, perAddress: MAX_CONNECTIONS_PER_IP, isProxy: isProxyOf(TRUSTED_PROXIES) }
}
