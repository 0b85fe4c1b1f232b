/** What a client key must pass that other credentials need not (docs/client-keys.md). */
import type { Caller } from '../../auth/authenticate.ts'
import { ApiError } from '../../base/api-error.ts'
import type { ClientKeyQuotas } from '../../metering/client-key-quotas.ts'
import type { Cors } from '../cors.ts'
import type { Step } from './step.ts'

/** Lets only pages of the key's origins use it and read the answer. Throws FORBIDDEN. */
export const assertOrigin =
  (cors: Cors): Step =>
  (context) => {
    const { origin } = context.request.headers
    const origins = (context.caller as Caller).session?.scope?.clientKey?.origins
    if (!origins || origin === undefined) return
    const mayUse = origins.includes(origin) || origins.includes('*')
    context.common = cors.narrowed(context.common, origin, mayUse)
    if (!mayUse)
      throw new ApiError(
        'FORBIDDEN',
        'The client key is not for web pages of this origin: use one that names the origin of the page.',
      )
  }

/** Throws RATE_LIMITED if the key has made its evaluations of this month. */
export const assertWithinQuota =
  (quotas: ClientKeyQuotas): Step =>
  ({ caller }) => {
    const { orgId, session } = caller as Caller
    const clientKey = session?.scope?.clientKey
    if (!clientKey) return
    return quotas.assertWithin({ orgId, id: session.id, evaluationsPerMonth: clientKey.evaluationsPerMonth })
  }
