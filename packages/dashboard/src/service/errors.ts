import { RollkeyError, type RollkeyErrorCode, type RollkeyErrorDetails } from '@rollkey/sdk/core'
import { labels, sentences } from './labels.ts'

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

/** An error of the identity provider, which has its own codes. */
export class IdentityError extends RollkeyError {
  /** The provider's code, such as `INVALID_EMAIL_OR_PASSWORD`. */
  readonly reason: string

  constructor({ message, reason, ...details }: IdentityErrorDetails) {
    const { status } = details
    super(codes[status] ?? (status >= 500 ? 'SERVICE_UNAVAILABLE' : 'INVALID_REQUEST'), message, details)
    this.reason = reason
  }
}

/** An error that the page itself finds. Its message says what to do. */
export class PageError extends RollkeyError {}

/** The person did not confirm, so nothing was done. Nothing shows it, because the person knows. */
export class ConfirmationCanceled extends PageError {
  constructor() {
    super('CONFIRMATION_REQUIRED', labels.canceled)
  }
}

/** Returns the code of an error: the identity provider's for its errors, otherwise that of the service or the client. */
export function codeOf(error: unknown): string {
  if (error instanceof IdentityError) return error.reason
  return error instanceof RollkeyError ? error.code : ''
}

export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code
}

/** Returns whether the service requires that people first confirm their identity. */
export function needsConfirmation(error: unknown): boolean {
  return hasCode(error, 'CONFIRMATION_REQUIRED')
}

/** Returns the error of a request without an answer. */
export function unreachable(cause: unknown): RollkeyError {
  return new RollkeyError('UNREACHABLE', 'The service did not answer.', { cause })
}

export function explain(error: unknown): string {
  if (isRefusedByBrowser(error)) return labels.notAllowed
  if (!(error instanceof RollkeyError)) return labels.failedPage
  const { status, retryAfterMs, requestId } = error
  if (status === 429) return labels.tooManyAttempts(retryAfterMs && Math.ceil(retryAfterMs / 1_000))
  const code = codeOf(error)
  // The message names the field and what is wrong with it.
  if (code === 'INVALID_REQUEST' || error instanceof PageError) return sentenceOf(error)
  return sentences[code] ?? labels.unknown(sentenceOf(error), requestId)
}

/** Returns whether the browser, or the person when it asked, did not allow something such as a copy. */
function isRefusedByBrowser(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotAllowedError'
}

function sentenceOf({ message }: RollkeyError): string {
  return message.endsWith('.') ? message : `${message}.`
}
