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

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

async function answerOf<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, { ...init, credentials: 'omit' })
  } catch {
    throw unreachableProblem()
  }
  if (!response.ok) throw await problemOf(response)
  return (await response.json()) as T
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
