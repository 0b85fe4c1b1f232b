import { errors, type ErrorCode } from '@rollkey/contract'

/**
 * An error with a code of the contract, which the request funnel turns into a status and a body. The caller sees the
 * message: it may name fields and variables, never a value, a token or the text of a library.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string = errors[code].message, headers: Record<string, string> = {}) {
    // The stack is not logged, and capturing it takes half the time of a refusal.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.headers = headers
  }
}

/** Thrown when the store cannot do its work. The endpoint determines the error code (docs/api.md). */
export class StoreUnavailable extends Error {}

/**
 * Thrown when the KMS cannot be reached or refuses. The error codes are those of StoreUnavailable. The message is for the
 * operator, and `code` is the code that the KMS reported.
 */
export class KmsUnavailable extends Error {
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Returns the refusal of a caller, or of a change, whose organization was deleted. */
export function deletedOrganization(): ApiError {
  return new ApiError(
    'ORG_SCOPE_INVALID',
    'The organization was deleted: use another one. Only the operator can open it again, without its former content.',
  )
}
