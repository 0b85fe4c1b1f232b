/** Requests to the API under /v1, typed by the contract. */
import type { EndpointName, ErrorBody, Request as Body, Response as Answer, endpoints } from '@rollkey/contract'
import { Problem, retryAfterSecOf, unreachableProblem } from './problem.ts'

export type Path = (typeof endpoints)[EndpointName]['path']
export type NameOf<P extends Path> = {
  [Name in EndpointName]: (typeof endpoints)[Name]['path'] extends P ? Name : never
}[EndpointName]

export function get<P extends Path>(path: P, token?: string): Promise<Answer<NameOf<P>>> {
  return answerOf(path, { headers: bearer(token) })
}

export function post<P extends Path>(
  path: P,
  body: Body<NameOf<P>>,
  token?: string,
  signal?: AbortSignal,
): Promise<Answer<NameOf<P>>> {
  return answerOf(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(token) },
    body: JSON.stringify(body),
    signal: signal ?? null,
  })
}

/** The body of an answer that goes on, until it ends or the signal aborts. */
export async function open(
  path: Path,
  query: Readonly<Record<string, string>>,
  token: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const search = new URLSearchParams(query).toString()
  const { body } = await responseOf(`${path}?${search}`, { headers: bearer(token), signal })
  if (!body) throw unreachableProblem()
  return body
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

async function answerOf<T>(path: string, init: RequestInit): Promise<T> {
  return (await (await responseOf(path, init)).json()) as T
}

async function responseOf(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...init, credentials: 'omit' })
  } catch {
    throw unreachableProblem()
  }
  if (!response.ok) throw await problemOf(response)
  return response
}

async function problemOf(response: Response): Promise<Problem> {
  const { status, headers } = response
  const retryAfterSec = retryAfterSecOf(headers)
  try {
    const { error } = (await response.json()) as ErrorBody
    return new Problem({ ...error, status, retryAfterSec })
  } catch {
    // A proxy in front of the service answers in its own way.
    return new Problem({ code: 'UNREADABLE', message: `The answer has the status ${status}.`, status, retryAfterSec })
  }
}
