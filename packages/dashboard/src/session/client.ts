/** The identity provider that is built into the service: accounts, organizations, passkeys. */
import { passkeyClient } from '@better-auth/passkey/client'
import type { ErrorBody } from '@rollkey/contract'
import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { Problem, retryAfterSecOf, unreachableProblem } from '../service/problem.ts'

export const identity = createAuthClient({
  baseURL: `${location.origin}/identity`,
  plugins: [organizationClient(), passkeyClient()],
  fetchOptions: { customFetchImpl: fetchWithWait },
})

interface IdentityError {
  readonly status: number
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly retryAfterSec?: number | undefined
}

/**
 * The client's errors are the answer's body without its headers, so the waiting time moves into the body. What the service
 * refuses before the identity provider reads it has the shape of the API's errors.
 */
async function fetchWithWait(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const { status, headers } = response
  if (status === 429)
    return Response.json({ message: 'Too many attempts.', retryAfterSec: retryAfterSecOf(headers) }, { status })
  if (status !== 413) return response
  const { error } = (await response.json()) as ErrorBody
  return Response.json(error, { status })
}

interface Result<T> {
  readonly data: T
  readonly error: IdentityError | null
}

/** What the client answered; throws a Problem instead of answering one. Only the session may be null: signed out. */
export async function unwrap<T>(answer: Promise<Result<T>>): Promise<NonNullable<T>> {
  const { data, error } = await answer.catch(() => {
    throw unreachableProblem()
  })
  if (error) throw problemOf(error)
  return data as NonNullable<T>
}

function problemOf({ status, code, message, retryAfterSec }: IdentityError): Problem {
  return new Problem({ code: code ?? `HTTP_${status}`, message: message ?? 'It failed.', status, retryAfterSec })
}
