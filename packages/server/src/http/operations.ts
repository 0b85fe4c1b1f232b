/** Paths for those who run the service: they need no credential and tell no name. */
import { openapi } from '@rollkey/contract'
import { sendPlain } from './reply.ts'
import type { Answer, Pages } from './server.ts'

export function operationPages(parts: { metrics: Answer; isReady: () => Promise<boolean> }): Pages {
  const plain = 'text/plain; charset=utf-8'
  let api: Buffer | undefined
  return {
    /** The process answers. */
    '/livez': (_, response) => sendPlain(response, 200, plain, 'live\n'),
    /** Requests can be served: the store answers and no stop is under way. */
    '/readyz': async (_, response) =>
      (await parts.isReady())
        ? sendPlain(response, 200, plain, 'ready\n')
        : sendPlain(response, 503, plain, 'not ready\n'),
    '/metrics': parts.metrics,
    '/openapi.json': (_, response) => {
      // Made when it is first asked for, not at every start, and shared by all answers that wait for their readers.
      api ??= Buffer.from(JSON.stringify(openapi()))
      sendPlain(response, 200, 'application/json; charset=utf-8', api)
    },
  }
}
