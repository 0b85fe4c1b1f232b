/** Which failures are worth another attempt, and when. */
import { RollkeyError, type RollkeyErrorCode } from './errors.ts'
import type { Host } from './host.ts'
import type { RetryOptions } from './types.ts'
import type { OperationName, Request } from './wire.ts'

export type RetryRules = Required<RetryOptions>

/** Who asks to wait longer than this is not waited for. */
const maxRetryAfterMs = 30_000

/** They say that the request was not processed. */
const notProcessed: ReadonlySet<RollkeyErrorCode> = new Set([
  'BILLING_UNAVAILABLE',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
])

/** What is done twice, or refused for having been done, if an answer was lost and the request is sent again. */
const doneTwice: ReadonlySet<OperationName> = new Set([
  'tokenCreate',
  'projectCreate',
  'stageCreate',
  'deviceStart',
  'devicePoll',
  'tokenRefresh',
  'logout',
])

export function retryRules(options: false | RetryOptions | undefined): RetryRules {
  const {
    maxAttempts = 4,
    baseDelayMs = 200,
    maxDelayMs = 5_000,
  } = options === false ? { maxAttempts: 1 } : (options ?? {})
  return { maxAttempts, baseDelayMs, maxDelayMs }
}

/** Whether sending the request once more does no harm, although the first may have been processed. */
function isRepeatable<Name extends OperationName>(name: Name, request: Request<Name>): boolean {
  const { mode, ifRevision } = request as { mode?: string; ifRevision?: number }
  return !doneTwice.has(name) && mode !== 'create_only' && ifRevision === undefined
}

/** Whether the same request may be sent again after `error`. */
export function mayRetry<Name extends OperationName>(name: Name, request: Request<Name>, error: unknown): boolean {
  if (!(error instanceof RollkeyError) || error.retry === 'no') return false
  return notProcessed.has(error.code) || isRepeatable(name, request)
}

/**
 * Milliseconds before attempt `attempt` + 1: random from nothing up to a bound that doubles ("full jitter"), so that clients
 * that failed together do not come back together. Undefined: not worth waiting.
 */
export function delayMs(attempt: number, error: unknown, rules: RetryRules, host: Host): number | undefined {
  const retryAfterMs = error instanceof RollkeyError ? (error.retryAfterMs ?? 0) : 0
  if (attempt >= rules.maxAttempts || retryAfterMs > maxRetryAfterMs) return undefined
  const bound = Math.min(rules.maxDelayMs, rules.baseDelayMs * 2 ** (attempt - 1))
  return retryAfterMs + host.random() * bound
}
