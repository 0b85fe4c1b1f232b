/** CORS (Fetch standard, section 3.3); values from RULINGS, "Ids and CORS". No credentials mode: tokens are sent by hand. */
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

  /** `origins`: who may read answers; undefined: everybody. */
  constructor(origins: readonly string[] | undefined) {
    this.#origins = origins && new Set(origins)
  }

  headersFor(origin: string | undefined): Headers {
    // Only browsers, which name their origin, read the second header.
    if (!this.#origins) return origin === undefined ? anyOrigin : anyOriginExposed
    if (origin === undefined || !this.#origins.has(origin)) return ['vary', 'origin']
    return ['access-control-allow-origin', origin, ...exposed, 'vary', 'origin']
  }
}
