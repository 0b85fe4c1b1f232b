/** Finds violations in an answer. */
import { endpoints, errors, errorsOf, type EndpointName, type ErrorCode } from '@rollkey/contract'
import type { z } from 'zod'
import type { Answer } from './connection.ts'
import type { Sent } from './mutations.ts'
import { otherSecret } from './scene.ts'

const shapes = new Map<string, z.ZodType>(Object.entries(endpoints).map(([name, { response }]) => [name, response()]))

interface Body {
  readonly requestId?: string
  readonly error?: Readonly<Record<string, string>>
}

/** Returns the violation in an answer to a request of any meaning; undefined if there is none. */
export function wrongInAny({ status, headers, text }: Answer): string | undefined {
  if (status >= 500 || Number.isNaN(status)) return 'a server error'
  if (text.includes(otherSecret)) return 'a value of another organization'
  if (status < 400 || text === '' || headers['content-type']?.startsWith('text/html')) return undefined
  const { error = {} } = JSON.parse(text) as Body
  if (headers['x-request-id'] !== error['requestId']) return 'another request id'
  return errors[error['code'] as ErrorCode]?.status === status ? undefined : 'a status that does not match the code'
}

export function wrongIn(name: EndpointName, { method, path }: Sent, answer: Answer): string | undefined {
  const { status, headers, text } = answer
  const wrong = wrongInAny(answer)
  if (wrong !== undefined) return wrong
  if (status === 204 || status === 304 || method === 'HEAD') return text === '' ? undefined : 'a body'
  if (headers['content-type']?.startsWith('text/event-stream')) return undefined
  const endpoint = endpoints[name]
  const isElsewhere = method !== endpoint.method || path.split('?')[0] !== endpoint.path
  // The web application answers requests for pages at all other paths.
  if (isElsewhere && headers['content-type']?.startsWith('text/html')) return undefined
  const { requestId, error, ...rest } = JSON.parse(text) as Body
  if (!error) {
    if (headers['x-request-id'] !== requestId) return 'another request id'
    return isElsewhere || shapes.get(name)?.safeParse(rest).success ? undefined : 'another shape'
  }
  const known: readonly ErrorCode[] = [...errorsOf(endpoint), 'NOT_FOUND', 'METHOD_NOT_ALLOWED']
  return isElsewhere || known.includes(error['code'] as ErrorCode)
    ? undefined
    : 'a code that the endpoint does not have'
}
