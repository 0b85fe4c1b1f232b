import { errors, type ErrorCode } from '@rollkey/contract'

/**
 * An answer that is an error. Code throws a code of the contract; the funnel turns it into status and body. The message
 * is shown to the caller: it may name fields and variables, never a value, a token or a library's own text.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string = errors[code].message, headers: Record<string, string> = {}) {
    // Where it was thrown is not logged, and to find that out takes half the time of a refusal.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.headers = headers
  }
}

/** The store could not do its work; which code that becomes depends on the endpoint (RULINGS, "More codes"). */
export class StoreUnavailable extends Error {}

/**
 * The KMS could not be asked, or refuses; the same codes. The message is a sentence for the operator, `code` the KMS's own
 * word for it.
 */
export class KmsUnavailable extends Error {
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
