/** Decides which failures are worth another attempt, and when. */
import { RollkeyError, type RollkeyErrorCode } from './errors.ts'
import type { Host } from './host.ts'
import type { RetryOptions } from './types.ts'
import { notRepeatable } from './wire-tables.ts'
import type { OperationName, Request } from './wire.ts'

export type RetryRules = Required<RetryOptions>

/** Maximum Retry-After that the client waits for, in milliseconds. If the service asks for more, the call fails. */
const maxRetryAfterMs = 30_000

/** Codes that say that the request was not processed. After a 503 it may have been: the store was lost while it committed. */
const notProcessed: ReadonlySet<RollkeyErrorCode> = new Set(['RATE_LIMITED', 'REQUEST_TIMEOUT'])

export function retryRules(options: false | RetryOptions | undefined): RetryRules {
  const {
    maxAttempts = 4,
    baseDelayMs = 200,
    maxDelayMs = 5_000,
  } = options === false ? { maxAttempts: 1 } : (options ?? {})
  return { maxAttempts, baseDelayMs, maxDelayMs }
}

/** Returns whether a request may be repeated although the first one may have been processed. */
function isRepeatable<Name extends OperationName>(name: Name, request: Request<Name>): boolean {
  const { mode, ifRevision } = request as { mode?: string; ifRevision?: number }
  return !notRepeatable.has(name) && mode !== 'create_only' && ifRevision === undefined
}

/** Returns whether the same request may be sent again after `error`. */
export function mayRetry<Name extends OperationName>(name: Name, request: Request<Name>, error: unknown): boolean {
  if (!(error instanceof RollkeyError) || error.retry === 'no') return false
  return notProcessed.has(error.code) || isRepeatable(name, request)
}

/** Returns how many milliseconds to wait before attempt `attempt` + 1. Undefined: do not retry. */
export function delayMs(attempt: number, error: unknown, rules: RetryRules, host: Host): number | undefined {
  const waitMs = retryAfterMs(error)
  if (attempt >= rules.maxAttempts || waitMs > maxRetryAfterMs) return undefined
  return waitMs + backOffMs(attempt, rules, host)
}

/** Returns how long the service asks to wait after `error`, in milliseconds. */
export function retryAfterMs(error: unknown): number {
  return error instanceof RollkeyError ? (error.retryAfterMs ?? 0) : 0
}

/**
 * Returns how many milliseconds to wait after this number of failures in a row. The wait is random between 0 and a bound that
 * doubles ("full jitter"), so that clients that failed together do not come back together.
 */
export function backOffMs(
  failures: number,
  { baseDelayMs, maxDelayMs }: Pick<RetryRules, 'baseDelayMs' | 'maxDelayMs'>,
  host: Host,
): number {
  return host.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (failures - 1))
}
