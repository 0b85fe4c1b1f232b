/** Turns an HTTP reply into an answer of the contract, or into the error that it carries. */
import { RollkeyError, type RollkeyErrorCode } from './errors.ts'
import type { OpenReply, Reply } from './transport.ts'
import { errorCodes } from './wire-tables.ts'
import type { Answer, OperationName } from './wire.ts'

/** Statuses of a proxy that cannot reach the service behind it. Those over 511 are of Cloudflare. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524])

/** The fields that this package reads of each answer. An answer without them does not come from the service. */
const fieldsRead: Partial<Record<OperationName, readonly string[]>> = {
  evaluate: ['value', 'kind'],
  evaluateBatch: ['results'],
  pull: ['variables', 'revision'],
  list: ['variables', 'revision'],
  manifest: ['variables', 'revision'],
  digests: ['variables', 'revision'],
  ruleset: ['variables', 'revision', 'salt'],
  projects: ['projects'],
  deviceStart: ['deviceCode', 'intervalSec', 'expiresInSec'],
  devicePoll: ['status'],
  tokenRefresh: ['accessToken', 'refreshToken'],
}

/** Returns the JSON object of a text; undefined if it has none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Returns how many milliseconds from now Retry-After asks to wait (RFC 9110, section 10.2.3: seconds, or a date). */
export function retryAfterMs(headers: Reply['headers'], nowMs: number): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** What a program asked, as errors name it. */
export interface Asked {
  /** Address of the service. */
  readonly origin: string
  /** Slug of the organization. Undefined if the request names none. */
  readonly org?: string | undefined
}

/**
 * Returns what the service says, with the names that the program has for it. The service sees fields of the wire and no address. A code has
 * several reasons, which only its sentence tells apart. One that a service of another version says otherwise is returned as it is.
 */
function messageFor(code: string, message: string, { origin, org }: Asked): string {
  if (code === 'UNAUTHORIZED' && message.includes('token is missing, unknown, expired or revoked'))
    return `${origin} refused the token: it is missing, unknown, expired or revoked. Create one with rollkey token create, or log in with rollkey login.`
  if (code === 'INVALID_ORG_SCOPE' && org !== undefined)
    return `The organization ${JSON.stringify(org)} is not the organization of the token, which rollkey whoami shows.`
  const isPathWrong = code === 'METHOD_NOT_ALLOWED' || message.startsWith('There is nothing at this path')
  if (isPathWrong && new URL(origin).pathname !== '/')
    return `${message} The address ${origin} has a path: leave it out, unless a proxy needs it.`
  return message
}

/** Returns the error that the service sent, or undefined if the reply does not come from the service. */
function serviceError({ status, headers, text }: Reply, asked: Asked, nowMs: number): RollkeyError | undefined {
  const { code, message, requestId } = (parseObject(text)?.['error'] ?? {}) as Record<string, unknown>
  if (typeof code !== 'string' || !Object.hasOwn(errorCodes, code)) return undefined
  return new RollkeyError(code as RollkeyErrorCode, messageFor(code, String(message), asked), {
    status,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfterMs: retryAfterMs(headers, nowMs),
  })
}

/** Returns the error for a reply that no Rollkey service sends. */
export function unexpectedAnswer({ status, headers }: Reply, origin: string, nowMs: number): RollkeyError {
  const details = { status, retryAfterMs: retryAfterMs(headers, nowMs) }
  if (gatewayStatuses.has(status)) {
    const what = `${origin} returned ${status}: the proxy in front of the service cannot reach it.`
    return new RollkeyError('UNREACHABLE', what, details)
  }
  if (status === 429) {
    const what = `${origin} returned 429: the proxy in front of the service received too many requests. Try again later.`
    return new RollkeyError('RATE_LIMITED', what, details)
  }
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  const isPage = headers.get('content-type')?.startsWith('text/html')
  const what = isRedirect
    ? 'redirects to another address. Set that address instead'
    : isPage
      ? `returned a web page with status ${status}, not an answer of a Rollkey service. Correct the address, or sign in to the network`
      : `returned ${status}, but not an answer of a Rollkey service`
  return new RollkeyError('INVALID_ANSWER', `${origin} ${what}.`, { status })
}

/** Returns the answer of a reply. Throws RollkeyError. */
export function answerOf<Name extends OperationName>(
  name: Name,
  reply: Reply,
  asked: Asked,
  nowMs: number,
): Answer<Name> {
  if (reply.status !== 200) throw serviceError(reply, asked, nowMs) ?? unexpectedAnswer(reply, asked.origin, nowMs)
  const answer = parseObject(reply.text)
  const isComplete = ['requestId', ...(fieldsRead[name] ?? [])].every((field) => answer?.[field] !== undefined)
  if (!isComplete) throw unexpectedAnswer(reply, asked.origin, nowMs)
  return answer as unknown as Answer<Name>
}

/** Returns the body of a stream of events. Throws RollkeyError. */
export function bodyOf(reply: OpenReply, asked: Asked, nowMs: number): ReadableStream<Uint8Array> {
  const { status, headers, body } = reply
  if (status !== 200) throw serviceError(reply, asked, nowMs) ?? unexpectedAnswer(reply, asked.origin, nowMs)
  const isStream = headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream || !body) throw unexpectedAnswer(reply, asked.origin, nowMs)
  return body
}
