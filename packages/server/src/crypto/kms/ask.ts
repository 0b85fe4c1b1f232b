/** How a KMS is asked over the network: within a time, and again where that may help. */
import { setTimeout as sleep } from 'node:timers/promises'
import { boundedText } from '../../base/bounded-body.ts'
import { KmsUnavailable } from '../../base/api-error.ts'
import { CannotUnwrap } from './kms.ts'
import { kmsTrouble } from './kms-error.ts'

/** So long a caller waits for a KMS in all. */
export const usualPatienceMs = 5_000
export const maxTries = 3
/** A connection that has gone silent must leave time for another. */
export const shareOfTry = 0.4
const firstPauseMs = 100
/** Of an answer: a wrapped key has some hundred bytes. */
const maxBytes = 64 * 1024

export interface Answer {
  readonly status: number
  /** The parsed JSON; undefined if it is none. */
  readonly body: unknown
}

interface Question {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly signal: AbortSignal
  readonly patienceMs: number
}

/** Passes on what the work gives or says of the key; anything else that it throws, and taking too long, is KmsUnavailable. */
export async function inTime<T>(
  kms: string,
  patienceMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(patienceMs)
  const { promise: late, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error))
  try {
    // Libraries that find credentials take no signal.
    return await Promise.race([work(signal), late])
  } catch (error) {
    if (error instanceof CannotUnwrap || error instanceof KmsUnavailable) throw error
    throw kmsTrouble(kms, 'unreachable', reasonOf(error as Error), error)
  }
}

/** fetch hides the reason in the cause, and of an address with several ways in the first of its errors. */
function reasonOf(error: Error): string {
  const { cause } = error
  const causes: unknown[] = [error, cause instanceof AggregateError ? cause.errors[0] : cause]
  const codes = causes.map((each) => (each as { code?: unknown } | undefined)?.code)
  return codes.find((code) => typeof code === 'string') ?? error.name
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function askOnce(url: string, { headers, body, signal, patienceMs }: Question): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    // Another host must not get the token.
    redirect: 'error',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs * shareOfTry)]),
  })
  return { status: response.status, body: jsonOf(await boundedText(response, maxBytes)) }
}

/** Sends JSON. What may pass (no answer, 429, 5xx) is tried again; throws what fetch threw if no try had an answer. */
export async function askJson(url: string, question: Question): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    const answer = await askOnce(url, question).catch((error: unknown) => error as Error)
    const mayPass = answer instanceof Error || answer.status === 429 || answer.status >= 500
    if (mayPass && tried < maxTries && !question.signal.aborted) {
      // Of the nodes that were refused together, not all come back together.
      await sleep(Math.random() * firstPauseMs * 2 ** tried, undefined, { signal: question.signal })
      continue
    }
    if (answer instanceof Error) throw answer
    return answer
  }
}
