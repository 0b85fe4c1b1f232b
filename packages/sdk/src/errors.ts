import { errorCodes } from './wire.ts'

/** What can go wrong before or after the service: it has no code for these. */
const ownCodes = {
  UNREACHABLE: { retry: 'backoff', advice: 'Check the address of the service and the network.' },
  INVALID_ANSWER: { retry: 'no', advice: 'Check that the address is the one of a Rollkey service.' },
  STAGE_NOT_FOUND: { retry: 'no', advice: 'Check the slugs of project and stage.' },
  LOGIN_NEEDED: { retry: 'no', advice: 'Log in with the rollkey command line, or set ROLLKEY_TOKEN.' },
  CLOSED: { retry: 'no', advice: 'Make a new client.' },
  INVALID_SETTING: { retry: 'no', advice: 'Correct the setting that the message names.' },
  UNTRUSTED_URL: { retry: 'no', advice: 'Set ROLLKEY_URL, or confirm the address with rollkey trust-url.' },
} as const

const allCodes = { ...errorCodes, ...ownCodes }

/** Every code of the service (specification, "Errors"), and the client's own. */
export type RollkeyErrorCode = keyof typeof allCodes

export interface RollkeyErrorDetails {
  /** HTTP status, if the service answered. */
  readonly status?: number | undefined
  /** Id of the request, by which an operator finds it in the log. */
  readonly requestId?: string | undefined
  /** Milliseconds that the service asks to wait before the next attempt, if it says. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** The one error that this package throws. Decide by `code`; `message` is for people and quotes no value. */
export class RollkeyError extends Error {
  override readonly name = 'RollkeyError'
  readonly code: RollkeyErrorCode
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  /** Whether the same request may succeed later: `backoff` means yes, waiting longer each time. */
  readonly retry: 'no' | 'backoff'
  /** What a person can do now; a sentence. */
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
