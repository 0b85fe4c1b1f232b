/**
 * CORS headers (Fetch standard, section 3.3; docs/api.md). Credentials mode is not allowed, because clients set the
 * Authorization header themselves.
 */
import { limits } from '@rollkey/contract'
import type { Headers } from './reply.ts'

const exposed = ['access-control-expose-headers', 'etag, retry-after, x-request-id'] as const
const anyOrigin: Headers = ['access-control-allow-origin', '*']
const anyOriginExposed: Headers = [...anyOrigin, ...exposed]

const preflight: Headers = [
  'access-control-allow-methods',
  'GET, POST, OPTIONS',
  'access-control-allow-headers',
  'authorization, content-type, if-none-match, last-event-id, traceparent, tracestate, x-api-key, x-request-id, x-service-request-key',
  'access-control-max-age',
  String(limits.corsMaxAgeSec),
]

/** Returns whether a header is one of those that this file makes. */
function isOfCors(name: string | undefined): boolean {
  return name === 'vary' || name?.startsWith('access-control-') === true
}

export class Cors {
  readonly #origins: ReadonlySet<string> | undefined
  readonly preflight = preflight

  /** `origins`: origins whose pages may read answers; undefined: all. */
  constructor(origins: readonly string[] | undefined) {
    this.#origins = origins && new Set(origins)
  }

  /** Returns headers of an answer without those that let pages of an origin read it, unless `mayRead`; then only these may. */
  narrowed(headers: Headers, origin: string, mayRead: boolean): Headers {
    const others = headers.filter((_, index) => !isOfCors(headers[index - (index % 2)]))
    const isAllowed = mayRead && headers.includes('access-control-allow-origin')
    return [...others, ...(isAllowed ? ['access-control-allow-origin', origin, ...exposed] : []), 'vary', 'origin']
  }

  headersFor(origin: string | undefined): Headers {
    // Only browsers read the second header, and they send their origin.
    if (!this.#origins) return origin === undefined ? anyOrigin : anyOriginExposed
    if (origin === undefined || !this.#origins.has(origin)) return ['vary', 'origin']
    return ['access-control-allow-origin', origin, ...exposed, 'vary', 'origin']
  }
}
