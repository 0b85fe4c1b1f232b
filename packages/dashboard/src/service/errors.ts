import { RollkeyError, type RollkeyErrorCode, type RollkeyErrorDetails } from '@rollkey/sdk/core'

/** Codes by the statuses of the identity provider. */
const codes: Readonly<Record<number, RollkeyErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
}

interface IdentityErrorDetails extends RollkeyErrorDetails {
  readonly status: number
  readonly message: string
  readonly reason: string
}

/** A refusal of the identity provider, which has codes of its own. */
export class IdentityError extends RollkeyError {
  /** The provider's code, such as `INVALID_EMAIL_OR_PASSWORD`. */
  readonly reason: string

  constructor({ message, reason, ...details }: IdentityErrorDetails) {
    const { status } = details
    super(codes[status] ?? (status >= 500 ? 'SERVICE_UNAVAILABLE' : 'INVALID_REQUEST'), message, details)
    this.reason = reason
  }
}

/** An error that this page finds itself. Its message says what to do. */
export class PageError extends RollkeyError {}

/** Returns the code of an error: the identity provider's if it refused, the service's or the client's otherwise. */
export function codeOf(error: unknown): string {
  if (error instanceof IdentityError) return error.reason
  return error instanceof RollkeyError ? error.code : ''
}

export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code
}

/** Returns whether the service refused because people must first prove that it is them. */
export function needsConfirmation(error: unknown): boolean {
  return hasCode(error, 'CONFIRMATION_REQUIRED')
}

/** Returns the error of a request without an answer. */
export function unreachable(cause: unknown): RollkeyError {
  return new RollkeyError('UNREACHABLE', 'The service did not answer.', { cause })
}
