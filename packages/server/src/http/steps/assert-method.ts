import type { Endpoint } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Step } from './step.ts'

/** Throws METHOD_NOT_ALLOWED for another method than the endpoint's. HEAD is allowed where GET is. */
export const assertMethod =
  ({ method }: Pick<Endpoint, 'method'>): Step =>
  ({ request }) => {
    if (request.method === method || (request.method === 'HEAD' && method === 'GET')) return
    throw new ApiError('METHOD_NOT_ALLOWED', undefined, { allow: `${method}, OPTIONS` })
  }
