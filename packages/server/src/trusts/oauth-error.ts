import { ApiError } from '../base/api-error.ts'

/** An error of a token endpoint (RFC 6749, section 5.2; RFC 8693, section 2.2.2). */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'

/** The refusal of a token request. The message quotes nothing of a token before its signature is verified. */
export class OAuthError extends ApiError {
  readonly error: OAuthErrorCode

  constructor(error: OAuthErrorCode, message: string) {
    super(error === 'temporarily_unavailable' ? 'SERVICE_UNAVAILABLE' : 'INVALID_REQUEST', message)
    this.error = error
  }
}
