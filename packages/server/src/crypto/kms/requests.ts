/** Requests to a KMS over the network, with a timeout, and with retries where they may help. */
import { setTimeout as sleep } from 'node:timers/promises'
import { boundedText } from '../../upstream/bounded-body.ts'
import { KmsUnavailable } from '../../base/api-error.ts'
import { CannotUnwrap } from './kms.ts'
import { kmsUnavailable } from './kms-error.ts'

/** How long a caller waits for a KMS in total. */
export const defaultTimeoutMs = 5_000
export const maxAttempts = 3
/** Share of the total time for one attempt. A connection that has gone silent must leave time for another. */
export const attemptShare = 0.4
const baseDelayMs = 100
/** Maximum size of a response. A wrapped key has a few hundred bytes. */
const maxBytes = 64 * 1024

export interface KmsResponse {
  readonly status: number
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown
}

interface KmsRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Runs the work. Passes on its result and its errors about the key. Throws KmsUnavailable for any other error and for a
 * timeout.
 */
export async function withTimeout<T>(
  kms: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs)
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error))
  try {
    // Libraries that look up credentials do not accept a signal.
    return await Promise.race([work(signal), timeout])
  } catch (error) {
    if (error instanceof CannotUnwrap || error instanceof KmsUnavailable) throw error
    throw kmsUnavailable(kms, 'unreachable', reasonOf(error as Error), error)
  }
}

/** Returns the reason of a failed fetch. It is in the cause or, for a host with several addresses, in its first error. */
function reasonOf(error: Error): string {
  const { cause } = error
  const causes: unknown[] = [error, cause instanceof AggregateError ? cause.errors[0] : cause]
  const codes = causes.map((each) => (each as { code?: unknown } | undefined)?.code)
  return codes.find((code) => typeof code === 'string') ?? error.name
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function postOnce(url: string, { headers, body, signal, timeoutMs }: KmsRequest): Promise<KmsResponse> {
  const response = await fetch(url, {
    method: 'POST',
    // A redirect must not send the token to another host.
    redirect: 'error',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs * attemptShare)]),
  })
  return { status: response.status, body: parsedJson(await boundedText(response, maxBytes)) }
}

/**
 * Sends JSON. Retries temporary failures (no response, 429, 5xx). Throws the error of fetch if no attempt got a response.
 */
export async function postJson(url: string, question: KmsRequest): Promise<KmsResponse> {
  for (let attempt = 1; ; attempt++) {
    const answer = await postOnce(url, question).catch((error: unknown) => error as Error)
    const isTemporary = answer instanceof Error || answer.status === 429 || answer.status >= 500
    if (isTemporary && attempt < maxAttempts && !question.signal.aborted) {
      // The random pause keeps nodes that were refused together from retrying together.
      await sleep(Math.random() * baseDelayMs * 2 ** attempt, undefined, { signal: question.signal })
      continue
    }
    if (answer instanceof Error) throw answer
    return answer
  }
}
