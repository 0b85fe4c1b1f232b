import { errorCodes } from './wire.ts'

/** Errors that happen in the client, so the service has no codes for them. */
const ownCodes = {
  UNREACHABLE: { retry: 'backoff', advice: 'Check the address of the service and the network.' },
  INVALID_ANSWER: { retry: 'no', advice: 'Check that the address belongs to a Rollkey service.' },
  STAGE_NOT_FOUND: { retry: 'no', advice: 'Check the slugs of project and stage.' },
  LOGIN_NEEDED: { retry: 'no', advice: 'Log in with the rollkey command line, or set ROLLKEY_TOKEN.' },
  CLOSED: { retry: 'no', advice: 'Create a new client.' },
  INVALID_SETTING: { retry: 'no', advice: 'Correct the setting that the message names.' },
  UNTRUSTED_URL: { retry: 'no', advice: 'Set ROLLKEY_URL, or trust the address with rollkey trust-url.' },
} as const

const allCodes = { ...errorCodes, ...ownCodes }

/**
 * Codes of the service (docs/api.md, "Errors") and of the client: `UNREACHABLE`, `INVALID_ANSWER`, `STAGE_NOT_FOUND`,
 * `LOGIN_NEEDED`, `CLOSED`, `INVALID_SETTING` and `UNTRUSTED_URL`.
 */
export type RollkeyErrorCode = keyof typeof allCodes

/** Optional properties of a `RollkeyError`. */
export interface RollkeyErrorDetails {
  /** HTTP status of the answer, if there was one. */
  readonly status?: number | undefined
  /** Id of the request. An operator finds the request in the log by it. */
  readonly requestId?: string | undefined
  /** How long the service asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The error that led to this one. */
  readonly cause?: unknown
}

/**
 * The error that every function of this package throws. Decide by `code`. `message` is for people and never quotes a
 * value or a token.
 *
 * @example
 * try {
 *   return await rollkey.get('NEW_CHECKOUT')
 * } catch (error) {
 *   if (error instanceof RollkeyError && error.code === 'VARIABLE_NOT_FOUND') return false
 *   throw error
 * }
 */
export class RollkeyError extends Error {
  override readonly name = 'RollkeyError'
  /** What went wrong. */
  readonly code: RollkeyErrorCode
  /** HTTP status of the answer, if there was one. */
  readonly status: number | undefined
  /** Id of the request. An operator finds the request in the log by it. */
  readonly requestId: string | undefined
  /** How long the service asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Whether the same request may succeed later. `backoff`: yes, with longer waits each time. */
  readonly retry: 'no' | 'backoff'
  /** What a person can do about it: one sentence. */
  readonly advice: string

  constructor(
    code: RollkeyErrorCode,
    message: string,
    { status, requestId, retryAfterMs, cause }: RollkeyErrorDetails = {},
  ) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
    this.retry = allCodes[code].retry
    this.advice = allCodes[code].advice
  }
}
