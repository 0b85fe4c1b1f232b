import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../base/api-error.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { sendPlain } from '../reply.ts'
import type { Answer } from '../server.ts'

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Serves the metrics. `token`: the required bearer token; undefined: no token is required. */
export function metricsPage(metrics: Metrics, token: string | undefined): Answer {
  const expected = token === undefined ? undefined : digestOf(`Bearer ${token}`)
  return async ({ headers }, response) => {
    // Digests have a fixed length, so the time of the comparison discloses nothing about the token.
    if (expected && !timingSafeEqual(digestOf(headers.authorization ?? ''), expected)) {
      throw new ApiError('UNAUTHORIZED', 'The metrics require the bearer token of ROLLKEY_METRICS_TOKEN.', {
        'www-authenticate': 'Bearer',
      })
    }
    sendPlain(response, 200, metrics.contentType, await metrics.text())
  }
}

export function notFound(): never {
  throw new ApiError('NOT_FOUND')
}
