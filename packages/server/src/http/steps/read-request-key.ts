import { ApiError } from '../../base/api-error.ts'
import { isRequestKey } from '../request-id.ts'
import type { Step } from './step.ts'

/** Takes the billing idempotency key from its header. Throws INVALID_REQUEST. */
export const readRequestKey: Step = (context) => {
  const key = context.request.headers['x-service-request-key']
  if (key === undefined) return
  if (typeof key !== 'string' || !isRequestKey(key)) {
    throw new ApiError('INVALID_REQUEST', 'x-service-request-key must be 1 to 255 visible ASCII characters, sent once.')
  }
  context.requestKey = key
}
