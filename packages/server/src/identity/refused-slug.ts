import { APIError } from 'better-auth/api'

export function refusedSlug(): APIError {
  return new APIError('BAD_REQUEST', {
    code: 'SLUG_NOT_VALID',
    message: 'Invalid slug: use 1 to 63 lowercase letters, digits and dashes, and do not begin with a dash.',
  })
}
