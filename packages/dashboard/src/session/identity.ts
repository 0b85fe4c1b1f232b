/** The client of the embedded identity provider: accounts, organizations, passkeys. */
import { labels } from '../service/labels.ts'
import { passkeyClient } from '@better-auth/passkey/client'
import type { ErrorBody } from '@rollkey/contract'
import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { IdentityError, unreachable } from '../service/errors.ts'
import { fetchNoted } from '../service/reachability.ts'

export const identity = createAuthClient({
  baseURL: `${location.origin}/identity`,
  plugins: [organizationClient(), passkeyClient()],
  fetchOptions: { customFetchImpl: fetchWithWait },
})

interface Refusal {
  readonly status: number
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly retryAfterSec?: number | undefined
}

/**
 * Fetches, and moves the waiting time of an error into its body, because the client's errors lack the headers. Errors of the
 * service before the identity provider have the shape of the API's.
 */
async function fetchWithWait(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchNoted(input, init)
  const { status, headers } = response
  if (status === 429) return Response.json({ retryAfterSec: retryAfterSecOf(headers) }, { status })
  if (status !== 413) return response
  const { error } = (await response.json()) as ErrorBody
  return Response.json(error, { status })
}

interface Result<T> {
  readonly data: T
  readonly error: Refusal | null
}

/** Returns the answer of the client, or throws its error. Only a session may be null, which means signed out. */
export async function unwrap<T>(answer: Promise<Result<T>>): Promise<NonNullable<T>> {
  const { data, error } = await answer.catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (error) throw identityErrorOf(error)
  return data as NonNullable<T>
}

function identityErrorOf({ status, code, message = labels.requestFailed, retryAfterSec }: Refusal): IdentityError {
  const retryAfterMs = retryAfterSec === undefined ? undefined : retryAfterSec * 1_000
  return new IdentityError({ status, reason: code ?? `HTTP_${status}`, message, retryAfterMs })
}

/** Returns the waiting time in seconds. The service and the identity provider have different headers for it. */
function retryAfterSecOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? headers.get('x-retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : undefined
}
