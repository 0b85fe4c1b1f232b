import { ApiError } from '../../base/api-error.ts'

/** An error code of OFREP (https://openfeature.dev/specification/types#error-code). */
export type OfrepErrorCode = 'PARSE_ERROR' | 'INVALID_CONTEXT' | 'TARGETING_KEY_MISSING' | 'FLAG_NOT_FOUND' | 'GENERAL'

/** The refusal of a request because of what it sends. */
export class OfrepError extends ApiError {
  readonly errorCode: OfrepErrorCode

  constructor(errorCode: OfrepErrorCode, message: string) {
    super('INVALID_REQUEST', message)
    this.errorCode = errorCode
  }
}
