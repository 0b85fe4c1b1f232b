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
  'authorization, content-type, if-none-match, x-request-id, x-service-request-key',
  'access-control-max-age',
  String(limits.corsMaxAgeSec),
]

export class Cors {
  readonly #origins: ReadonlySet<string> | undefined
  readonly preflight = preflight

  /** `origins`: origins whose pages may read answers; undefined: all. */
  constructor(origins: readonly string[] | undefined) {
    this.#origins = origins && new Set(origins)
  }

  headersFor(origin: string | undefined): Headers {
    // Only browsers read the second header, and they send their origin.
    if (!this.#origins) return origin === undefined ? anyOrigin : anyOriginExposed
    if (origin === undefined || !this.#origins.has(origin)) return ['vary', 'origin']
    return ['access-control-allow-origin', origin, ...exposed, 'vary', 'origin']
  }
}
