/** Paths for operators. They need no credential and disclose no names of organizations, projects or variables. */
import { openapi } from '@rollkey/contract'
import { sendPlain } from '../reply.ts'
import type { Answer, Pages } from '../server.ts'

export function operationPages(parts: { metrics: Answer; isReady: () => Promise<boolean> }): Pages {
  const plain = 'text/plain; charset=utf-8'
  let api: Buffer | undefined
  return {
    /** Liveness: the process answers. */
    '/livez': (_, response) => sendPlain(response, 200, plain, 'live\n'),
    /** Readiness: the store takes what evaluations and writes store, and the service is not stopping. */
    '/readyz': async (_, response) =>
      (await parts.isReady())
        ? sendPlain(response, 200, plain, 'ready\n')
        : sendPlain(response, 503, plain, 'not ready\n'),
    '/metrics': parts.metrics,
    '/openapi.json': (_, response) => {
      // Created on the first request, not at every start. All unread answers share the buffer.
      api ??= Buffer.from(JSON.stringify(openapi()))
      sendPlain(response, 200, 'application/json; charset=utf-8', api)
    },
  }
}
