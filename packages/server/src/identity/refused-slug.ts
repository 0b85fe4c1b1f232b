import { APIError } from 'better-auth/api'

export function refusedSlug(): APIError {
  return new APIError('BAD_REQUEST', {
    code: 'SLUG_NOT_VALID',
    message: 'The slug must be 1 to 63 lower-case letters, digits and dashes, and not begin with a dash.',
  })
}
