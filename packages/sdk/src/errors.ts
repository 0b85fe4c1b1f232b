import { errorCodes } from './wire-tables.ts'

/** Errors that happen in the client, so the service has no codes for them. */
const clientCodes = {
  UNREACHABLE: { retry: 'backoff', advice: 'Check the address of the service and the network.' },
  INVALID_ANSWER: { retry: 'no', advice: 'Check that the address belongs to a Rollkey service.' },
  STAGE_NOT_FOUND: { retry: 'no', advice: 'Check the slugs of project and stage.' },
  NOT_LOCAL: { retry: 'no', advice: 'Use get of the client, or name the variable in the option names of local.' },
  LOGIN_NEEDED: { retry: 'no', advice: 'Log in with the rollkey command line, or set ROLLKEY_TOKEN.' },
  EXCHANGE_REFUSED: { retry: 'no', advice: 'Compare the claims of the ID token with the trust (rollkey trust test).' },
  CLOSED: { retry: 'no', advice: 'Create a new client.' },
  INVALID_SETTING: { retry: 'no', advice: 'Correct the setting that the message names.' },
  UNTRUSTED_URL: {
    retry: 'no',
    advice: 'Pass connect({ url }), set ROLLKEY_URL, or trust the address with rollkey trust-url.',
  },
} as const

const allCodes = { ...errorCodes, ...clientCodes }

/**
 * Codes of the service, which its `/openapi.json` describes, and of the client:
 *
 * - `UNREACHABLE`: no answer, or that of a proxy which cannot reach the service
 * - `INVALID_ANSWER`: an answer that is not from a Rollkey service
 * - `STAGE_NOT_FOUND`: the stage of a call does not exist
 * - `NOT_LOCAL`: a decision inside the program needs a variable that is not in its ruleset
 * - `LOGIN_NEEDED`: there is no session, or it has ended
 * - `EXCHANGE_REFUSED`: the service does not take the ID token for the trust
 * - `CLOSED`: the client was closed, or the login canceled
 * - `INVALID_SETTING`: an option, a setting or a local file is wrong
 * - `UNTRUSTED_URL`: only rollkey.json names the address to which the token would go
 */
export type RollkeyErrorCode = keyof typeof allCodes

/** Optional properties of a `RollkeyError`. */
export interface RollkeyErrorDetails {
  /** HTTP status of the answer. Absent if there was none. */
  readonly status?: number | undefined
  /** Id of the request. An operator finds the request in the log by it. Absent if no service answered. */
  readonly requestId?: string | undefined
  /** How long the service asks to wait before the next attempt, in milliseconds. Absent if it does not. */
  readonly retryAfterMs?: number | undefined
  /** The error that led to this one. Absent if there was none. */
  readonly cause?: unknown
}

/**
 * The error that every function of this package throws. Decide by `code`. `message` is for people and never quotes a
 * value or a token.
 *
 * @example
 * let isNew = false
 * try {
 *   isNew = await rollkey.get('NEW_CHECKOUT')
 * } catch (error) {
 *   if (!(error instanceof RollkeyError && error.code === 'VARIABLE_NOT_FOUND')) throw error
 * }
 */
export class RollkeyError extends Error {
  /** The name of the class. */
  override readonly name = 'RollkeyError'
  /** What went wrong. */
  readonly code: RollkeyErrorCode
  /** HTTP status of the answer. Undefined if there was none. */
  readonly status: number | undefined
  /** Id of the request. An operator finds the request in the log by it. */
  readonly requestId: string | undefined
  /** How long the service asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Whether the same request may succeed later. `backoff`: yes, with longer waits each time. */
  readonly retry: 'no' | 'backoff'
  /** What a person can do about it: one sentence. */
  readonly advice: string

  /**
   * Returns whether a value is an error of this class, also of another copy of the package: CommonJS beside ES modules, or another
   * version. Never throws.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true
    return this === RollkeyError && (value as { name?: unknown } | null | undefined)?.name === 'RollkeyError'
  }

  /** Creates an error. `retry` and `advice` follow from the code. Never throws. */
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
