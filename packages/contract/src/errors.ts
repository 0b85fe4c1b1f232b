/**
 * Every error code of the API, with its HTTP status and advice for the caller (docs/api.md, "Error codes"). Code throws
 * codes, never statuses.
 */

interface ErrorRow {
  /** HTTP status of an answer with this code. */
  readonly status: number
  /** Whether the same request may succeed later. `backoff`: yes, with longer waits each time. */
  readonly retry: 'no' | 'backoff'
  /** What a person can do about it: one sentence. */
  readonly advice: string
  /** The message of an answer without a more specific one: one sentence. */
  readonly message: string
}

/** All error codes. */
export const errors = {
  UNAUTHORIZED: {
    status: 401,
    retry: 'no',
    message: 'The request carries no valid credential.',
    advice: 'Obtain a new token.',
  },
  INVALID_ORG_SCOPE: {
    status: 403,
    retry: 'no',
    message: 'orgSlug is not the organization of the token.',
    advice: 'Use the slug of the organization that the token belongs to.',
  },
  ORG_SCOPE_INVALID: {
    status: 403,
    retry: 'no',
    message: 'The user is no longer a member of the organization.',
    advice: 'Sign in again with an account that is a member.',
  },
  FORBIDDEN: {
    status: 403,
    retry: 'no',
    message: 'This credential does not grant access to this resource.',
    advice: 'Ask an owner or admin of the organization, or use a token with a wider scope.',
  },
  INVALID_JSON: {
    status: 400,
    retry: 'no',
    message: 'The body is not JSON in UTF-8.',
    advice: 'Send one JSON object, encoded as UTF-8.',
  },
  INVALID_REQUEST: {
    status: 400,
    retry: 'no',
    message: 'The request is not valid.',
    advice: 'Correct the field that the message names.',
  },
  VARIABLE_NOT_FOUND: {
    status: 404,
    retry: 'no',
    message: 'The stage has no variable of that name.',
    advice: 'Check project, stage and name; names are case sensitive.',
  },
  EVALUATION_FAILED: {
    status: 500,
    retry: 'backoff',
    message: 'A stored value cannot be opened.',
    advice: 'Try again later. If the error persists, ask the operator to look up the request id in the log.',
  },
  USAGE_LIMIT_EXCEEDED: {
    status: 402,
    retry: 'no',
    message: 'The limit of the plan is reached.',
    advice: 'Upgrade the plan.',
  },
  BILLING_UNAVAILABLE: {
    status: 503,
    retry: 'backoff',
    message: 'Usage cannot be recorded at the moment; the request was not processed.',
    advice: 'Try again, waiting longer each time.',
  },
  DEVICE_CODE_NOT_FOUND: {
    status: 404,
    retry: 'no',
    message: 'The device code is unknown or was already used.',
    advice: 'Start a new login.',
  },
  DEVICE_CODE_EXPIRED: {
    status: 410,
    retry: 'no',
    message: 'The device code has expired.',
    advice: 'Start a new login.',
  },
  USER_CODE_INVALID: {
    status: 400,
    retry: 'no',
    message: 'userCode is not 8 upper-case letters and digits.',
    advice: 'Send the code as the client shows it, in upper case and without a dash.',
  },
  INVALID_REFRESH_TOKEN: {
    status: 401,
    retry: 'no',
    message: 'The refresh token is unknown, expired or already used.',
    advice: 'Start a new login.',
  },
  NOT_FOUND: {
    status: 404,
    retry: 'no',
    message: 'There is nothing at this path.',
    advice: 'Check the path; the API is described at /openapi.json.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retry: 'no',
    message: 'This path does not support this method.',
    advice: 'Use the method that the Allow header names.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retry: 'backoff',
    message: 'The request did not arrive in time.',
    advice: 'Send the whole request within 30 seconds.',
  },
  REVISION_CONFLICT: {
    status: 409,
    retry: 'no',
    message: 'The stage is not at the revision of ifRevision.',
    advice: 'Read the stage again, then decide whether to repeat the request.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retry: 'no',
    message: 'The body is too large.',
    advice: 'Split the request.',
  },
  RATE_LIMITED: {
    status: 429,
    retry: 'backoff',
    message: 'Too many requests.',
    advice: 'Wait for the time that the Retry-After header names.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    retry: 'no',
    message: 'The headers are too large.',
    advice: 'Send at most 16 KiB of headers.',
  },
  INTERNAL: {
    status: 500,
    retry: 'backoff',
    message: 'Something failed inside the service.',
    advice: 'Try again later. If the error persists, ask the operator to look up the request id in the log.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    retry: 'backoff',
    message: 'The service cannot answer at the moment.',
    advice: 'Try again, waiting longer each time.',
  },
} as const satisfies Record<string, ErrorRow>

/** An error code of the API. */
export type ErrorCode = keyof typeof errors

/** The body of every error answer. */
export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly requestId: string }
}
