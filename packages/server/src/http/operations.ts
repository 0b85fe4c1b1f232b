/** Paths for those who run the service: they need no credential and tell no name. */
import type { ServerResponse } from 'node:http'
import { openapi } from '@rollkey/contract'
import type { Metrics } from './metrics.ts'
import type { Pages } from './server.ts'

function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response
    .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' })
    .end(text)
}

export function operationPages(parts: { metrics: Metrics; isReady: () => Promise<boolean> }): Pages {
  const plain = 'text/plain; charset=utf-8'
  let api: string | undefined
  return {
    /** The process answers. */
    '/livez': (_, response) => sendText(response, 200, plain, 'live\n'),
    /** Requests can be served: the store answers and no stop is under way. */
    '/readyz': async (_, response) =>
      (await parts.isReady())
        ? sendText(response, 200, plain, 'ready\n')
        : sendText(response, 503, plain, 'not ready\n'),
    '/metrics': async (_, response) => sendText(response, 200, parts.metrics.contentType, await parts.metrics.text()),
    '/openapi.json': (_, response) => {
      // Made when it is first asked for, not at every start.
      api ??= JSON.stringify(openapi())
      sendText(response, 200, 'application/json; charset=utf-8', api)
    },
  }
}
