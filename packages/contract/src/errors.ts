/**
 * Every error code of the API, with its HTTP status and advice for the caller (docs/errors.md). Code throws
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

/**
 * All error codes, with status, retry, message and advice.
 *
 * @example
 * const { status, retry } = errors.RATE_LIMITED // 429, 'backoff'
 */
export const errors = {
  /** No valid credential: it is missing, malformed, expired or revoked, or there are two (RFC 9110, section 15.5.2). */
  UNAUTHORIZED: {
    status: 401,
    retry: 'no',
    message: 'The request carries no valid credential.',
    advice: 'Obtain a new token.',
  },
  /** `orgSlug` names another organization than that of the credential. */
  INVALID_ORG_SCOPE: {
    status: 403,
    retry: 'no',
    message: 'orgSlug is not the organization of the token.',
    advice: 'Use the slug of the organization that the token belongs to.',
  },
  /** The user of the credential is no longer a member of its organization. */
  ORG_SCOPE_INVALID: {
    status: 403,
    retry: 'no',
    message: 'The user is no longer a member of the organization.',
    advice: 'Sign in again with an account that is a member.',
  },
  /** The credential is valid, but its role, token scope or kind does not allow the request. */
  FORBIDDEN: {
    status: 403,
    retry: 'no',
    message: 'This credential does not grant access to this resource.',
    advice: 'Ask an owner or admin of the organization, or use a token that may do it there.',
  },
  /** The person did not sign in or confirm within the last 15 minutes, or the provider does not report when they did. */
  CONFIRMATION_REQUIRED: {
    status: 403,
    retry: 'no',
    message: 'This requires a sign-in within the last 15 minutes.',
    advice: 'Sign in again in the web application, then repeat the request.',
  },
  /** The organization admits only people who signed in at their company, and this person signed in in another way. */
  COMPANY_SIGN_IN_REQUIRED: {
    status: 403,
    retry: 'no',
    message: 'This organization requires that you sign in at your company.',
    advice:
      'Sign out of the web application, then sign in with your company. If you cannot, ask an owner of the organization.',
  },
  /** The organization admits only people who signed in with more than a password, and this person did not. */
  SECOND_FACTOR_MISSING: {
    status: 403,
    retry: 'no',
    message: 'This organization requires a second factor.',
    advice:
      'Open the organization in the web application: it lets you set one up, or sign in with a passkey. Then repeat the request.',
  },
  /** The stage requires that changes are approved, and this one is not: a direct write, or a change with too few approvals. */
  APPROVAL_REQUIRED: {
    status: 403,
    retry: 'no',
    message: 'Changes of this stage need approval.',
    advice: 'Propose the change, and ask someone with "approve" on the stage to review it.',
  },
  /** The stage does not change until the end of its freeze, which the message names. */
  STAGE_FROZEN: {
    status: 403,
    retry: 'no',
    message: 'The stage is frozen.',
    advice: 'Wait until the end of the freeze, or propose the change now and apply it later.',
  },
  /** The body is not JSON (RFC 8259), or not UTF-8. */
  INVALID_JSON: {
    status: 400,
    retry: 'no',
    message: 'The body is not JSON in UTF-8.',
    advice: 'Send one JSON object, encoded as UTF-8.',
  },
  /** The request breaks a rule that its message names, such as the shape of a field or the grammar of HTTP. */
  INVALID_REQUEST: {
    status: 400,
    retry: 'no',
    message: 'The request is not valid.',
    advice: 'Correct the field that the message names.',
  },
  /** The stage has no variable of that name, or the stage itself does not exist. */
  VARIABLE_NOT_FOUND: {
    status: 404,
    retry: 'no',
    message: 'The stage, or a variable of that name in it, does not exist.',
    advice: 'Check project, stage and name; names are case sensitive.',
  },
  /** A stored value cannot be decrypted. */
  EVALUATION_FAILED: {
    status: 500,
    retry: 'backoff',
    message: 'A stored value cannot be opened.',
    advice: 'Try again later. If the error persists, ask the operator to look up the request id in the log.',
  },
  /** The plan has no evaluation left this month, or no storage for what the write adds. Not billed. */
  USAGE_LIMIT_EXCEEDED: {
    status: 402,
    retry: 'no',
    message: 'The limit of the plan is reached.',
    advice: 'Upgrade the plan.',
  },
  /** Usage cannot be recorded, because the store or the KMS does not answer an evaluation or a write. */
  BILLING_UNAVAILABLE: {
    status: 503,
    retry: 'backoff',
    message: 'Usage cannot be recorded at the moment; the request was not processed.',
    advice: 'Try again, waiting longer each time.',
  },
  /** The device code or user code is unknown, or its login has been exchanged for tokens already. */
  DEVICE_CODE_NOT_FOUND: {
    status: 404,
    retry: 'no',
    message: 'The device code is unknown or was already used.',
    advice: 'Start a new login.',
  },
  /** The login was denied, or no one approved it within 600 seconds. */
  DEVICE_CODE_EXPIRED: {
    status: 410,
    retry: 'no',
    message: 'The device code has expired, or the login was denied.',
    advice: 'Start a new login.',
  },
  /** The user code cannot be one that the service issues: it is not 8 upper-case letters and digits. */
  USER_CODE_INVALID: {
    status: 400,
    retry: 'no',
    message: 'userCode is not 8 upper-case letters and digits.',
    advice: 'Send the code as the client shows it, in upper case and without a dash.',
  },
  /** The refresh token is unknown, expired, revoked or already used. */
  INVALID_REFRESH_TOKEN: {
    status: 401,
    retry: 'no',
    message: 'The refresh token is unknown, expired or already used.',
    advice: 'Start a new login.',
  },
  /** Nothing is at this path, or no project, stage, token or session has this name or id. */
  NOT_FOUND: {
    status: 404,
    retry: 'no',
    message: 'There is nothing at this path, or what the request names does not exist.',
    advice: 'Check the path and the names; the API is described at /openapi.json.',
  },
  /** The path exists, but not with this method. The header `Allow` names its methods (RFC 9110, section 15.5.6). */
  METHOD_NOT_ALLOWED: {
    status: 405,
    retry: 'no',
    message: 'This path does not support this method.',
    advice: 'Use the method that the Allow header names.',
  },
  /** The head did not arrive within 10 seconds, or the request within 30. The service closes the connection. */
  REQUEST_TIMEOUT: {
    status: 408,
    retry: 'backoff',
    message: 'The request did not arrive in time.',
    advice: 'Send the whole request within 30 seconds.',
  },
  /** The stage is not at the expected revision, because someone else has written since. */
  REVISION_CONFLICT: {
    status: 409,
    retry: 'no',
    message: 'The stage is not at the expected revision.',
    advice: 'Read the stage again, then decide whether to repeat the request.',
  },
  /** The change is not in a state that allows this, or it has been edited since the caller saw it. */
  CHANGE_CONFLICT: {
    status: 409,
    retry: 'no',
    message: 'The change is not in a state that allows this, or it was edited.',
    advice: 'Show the change again, then decide whether to repeat the request.',
  },
  /** The body exceeds the maximum of its endpoint, or the values of a batch or pull exceed 16 MiB. */
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retry: 'no',
    message: 'The body or the requested values are too large.',
    advice: 'Split the request.',
  },
  /** The client exceeds a limit (RFC 6585, section 4). The header `Retry-After` has the seconds to wait. */
  RATE_LIMITED: {
    status: 429,
    retry: 'backoff',
    message: 'Too many requests.',
    advice: 'Wait for the time that the Retry-After header names.',
  },
  /** The head exceeds 16 KiB or 1,000 lines (RFC 6585, section 5). The service closes the connection. */
  HEADERS_TOO_LARGE: {
    status: 431,
    retry: 'no',
    message: 'The headers are too large.',
    advice: 'Send at most 16 KiB of headers.',
  },
  /** An error in the service. Its log has the reason under the request id. */
  INTERNAL: {
    status: 500,
    retry: 'backoff',
    message: 'Something failed inside the service.',
    advice: 'Try again later. If the error persists, ask the operator to look up the request id in the log.',
  },
  /** The operator requires that the audit log is delivered to another system, which has not taken it for too long. */
  AUDIT_NOT_DELIVERED: {
    status: 503,
    retry: 'backoff',
    message: 'The audit log cannot be delivered at the moment, so nothing that it records is done.',
    advice: 'Try again, waiting longer each time. If the error persists, ask the operator.',
  },
  /** What the request needs does not answer: the store, the KMS or the identity provider. */
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
  /** The error. */
  readonly error: {
    /** What went wrong. Programs decide by it. */
    readonly code: ErrorCode
    /** One sentence for people, which may change. It never quotes a value or a token. */
    readonly message: string
    /** Id of the request, also in the header `x-request-id`. The operator finds the request in the log by it. */
    readonly requestId: string
  }
}
