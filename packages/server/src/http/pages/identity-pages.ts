/** Applies rate limits to the embedded identity provider before a body is read, and counts its answers for the metrics. */
import { errors } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Observer } from '../funnel.ts'
import type { IdentityPath, RateLimits } from '../limits/rate-limits.ts'
import type { Headers } from '../reply.ts'
import type { Answer } from '../server.ts'

export interface IdentityPagesParts {
  readonly answer: Answer
  readonly rateLimitOf: (path: string) => IdentityPath
  readonly rateLimits: RateLimits
  readonly observer: Observer
}

/** The metrics label of all paths. A path that a client sent must not become a label. */
const endpoint = 'identity'

export function identityAnswer({ answer, rateLimitOf, rateLimits, observer }: IdentityPagesParts): Answer {
  return async (request, response) => {
    const startedAt = performance.now()
    let status = errors.INTERNAL.status as number
    try {
      const limited = { request, common: [] as Headers }
      const refusal = rateLimits.countIdentity(rateLimitOf((request.url ?? '').split('?', 1)[0] ?? ''), limited)
      const { common } = limited
      for (let at = 0; at < common.length; at += 2) response.setHeader(common[at] ?? '', common[at + 1] ?? '')
      if (refusal) throw refusal
      await answer(request, response)
      status = response.statusCode
    } catch (error) {
      if (error instanceof ApiError) ({ status } = errors[error.code])
      throw error
    } finally {
      observer.answered(endpoint, status, performance.now() - startedAt)
    }
  }
}
