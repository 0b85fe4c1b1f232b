import { describe, expect, test } from 'vitest'
import { endpoints, errors, errorsOf } from '@rollkey/contract'

/** Codes of the first version of the API: code, status, and whether a retry may help. */
const specified = {
  UNAUTHORIZED: [401, 'no'],
  INVALID_ORG_SCOPE: [403, 'no'],
  ORG_SCOPE_INVALID: [403, 'no'],
  INVALID_JSON: [400, 'no'],
  INVALID_REQUEST: [400, 'no'],
  VARIABLE_NOT_FOUND: [404, 'no'],
  COMPANY_SIGN_IN_REQUIRED: [403, 'no'],
  SECOND_FACTOR_MISSING: [403, 'no'],
  EVALUATION_FAILED: [500, 'backoff'],
  USAGE_LIMIT_EXCEEDED: [402, 'no'],
  BILLING_UNAVAILABLE: [503, 'backoff'],
  DEVICE_CODE_NOT_FOUND: [404, 'no'],
  DEVICE_CODE_EXPIRED: [410, 'no'],
  USER_CODE_INVALID: [400, 'no'],
  INVALID_REFRESH_TOKEN: [401, 'no'],
}

/** Codes that were added later. */
const ruled = {
  FORBIDDEN: 403,
  CONFIRMATION_REQUIRED: 403,
  APPROVAL_REQUIRED: 403,
  STAGE_FROZEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  REVISION_CONFLICT: 409,
  CHANGE_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  AUDIT_NOT_DELIVERED: 503,
  SERVICE_UNAVAILABLE: 503,
}

describe('the error table', () => {
  test('has these codes and no others', () => {
    expect(Object.keys(errors).toSorted()).toEqual([...Object.keys(specified), ...Object.keys(ruled)].toSorted())
  })

  test('gives each code its status and retry advice', () => {
    const found = Object.keys(specified).map((code) => {
      const { status, retry } = errors[code as keyof typeof specified]
      return [code, [status, retry]]
    })
    expect(Object.fromEntries(found)).toEqual(specified)
  })

  test('gives each later code its status', () => {
    const found = Object.keys(ruled).map((code) => [code, errors[code as keyof typeof ruled].status])
    expect(Object.fromEntries(found)).toEqual(ruled)
  })

  test('allows a retry only if the same request may succeed later', () => {
    for (const { status, retry } of Object.values(errors)) {
      expect(retry, String(status)).toBe([408, 429, 500, 503].includes(status) ? 'backoff' : 'no')
    }
  })

  test('has a message and advice, one sentence each, in every row', () => {
    for (const { message, advice } of Object.values(errors)) {
      expect(message).toMatch(/^\S.*\.$/)
      expect(advice).toMatch(/^[A-Z].*\.$/)
    }
  })
})

describe('the errors of an endpoint', () => {
  /** Codes that each endpoint must be able to return. */
  const listed = {
    evaluate:
      'UNAUTHORIZED INVALID_JSON INVALID_REQUEST INVALID_ORG_SCOPE VARIABLE_NOT_FOUND EVALUATION_FAILED USAGE_LIMIT_EXCEEDED BILLING_UNAVAILABLE',
    evaluateBatch:
      'UNAUTHORIZED INVALID_JSON INVALID_REQUEST INVALID_ORG_SCOPE VARIABLE_NOT_FOUND EVALUATION_FAILED USAGE_LIMIT_EXCEEDED BILLING_UNAVAILABLE',
    pull: 'UNAUTHORIZED INVALID_JSON INVALID_REQUEST INVALID_ORG_SCOPE EVALUATION_FAILED USAGE_LIMIT_EXCEEDED BILLING_UNAVAILABLE',
    list: 'UNAUTHORIZED INVALID_JSON INVALID_REQUEST INVALID_ORG_SCOPE',
    write:
      'UNAUTHORIZED INVALID_JSON INVALID_REQUEST INVALID_ORG_SCOPE USAGE_LIMIT_EXCEEDED BILLING_UNAVAILABLE REVISION_CONFLICT',
    manifest: 'UNAUTHORIZED INVALID_REQUEST INVALID_ORG_SCOPE',
    deviceStart: 'INVALID_JSON INVALID_REQUEST',
    deviceComplete: 'UNAUTHORIZED USER_CODE_INVALID DEVICE_CODE_NOT_FOUND DEVICE_CODE_EXPIRED RATE_LIMITED',
    devicePoll: 'INVALID_JSON INVALID_REQUEST DEVICE_CODE_NOT_FOUND DEVICE_CODE_EXPIRED',
    tokenRefresh: 'INVALID_JSON INVALID_REQUEST INVALID_REFRESH_TOKEN ORG_SCOPE_INVALID',
    logout: 'UNAUTHORIZED INVALID_REQUEST',
    session: 'UNAUTHORIZED',
  } satisfies Partial<Record<keyof typeof endpoints, string>>

  test.each(Object.entries(listed))('%s include its codes', (name, codes) => {
    expect(errorsOf(endpoints[name as keyof typeof listed])).toEqual(expect.arrayContaining(codes.split(' ')))
  })

  test('contain no code twice, and no code of credentials for public endpoints', () => {
    for (const endpoint of Object.values(endpoints)) {
      const codes = errorsOf(endpoint)
      expect(new Set(codes).size).toBe(codes.length)
      // The parameters of the redirect from the provider are the credential of webToken.
      const asks = endpoint.auth !== 'none' || endpoint === endpoints.webToken
      expect(codes.includes('UNAUTHORIZED')).toBe(asks)
    }
  })

  test('contain no code of bodies for endpoints without a body', () => {
    expect(errorsOf(endpoints.manifest)).not.toContain('INVALID_JSON')
    expect(errorsOf(endpoints.session)).not.toContain('PAYLOAD_TOO_LARGE')
  })
})
