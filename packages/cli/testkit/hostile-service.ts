/** A server of an attacker: it returns what a test defines, and records what it receives. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HostileService {
  readonly url: string
  /** Requested paths, with the credential of the request. */
  readonly seen: { readonly path: string; readonly authorization: string | undefined }[]
  /** Answers by path: a body of status 200, or of 404 if it is an error; a status with a page; or none. */
  readonly answers: Record<string, object | number | 'none'>
  close(): Promise<void>
}

export async function startHostileService(): Promise<HostileService> {
  const seen: { path: string; authorization: string | undefined }[] = []
  const answers: HostileService['answers'] = {}
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    seen.push({ path, authorization: request.headers.authorization })
    const answer = answers[path] ?? { error: { code: 'NOT_FOUND', message: 'Nothing is here.', requestId: 'r' } }
    if (answer === 'none') return
    if (typeof answer === 'number') {
      response.writeHead(answer, { 'content-type': 'text/html' }).end('<p>Sorry</p>')
      return
    }
    const status = 'error' in answer ? 404 : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ requestId: 'r', ...answer }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answers,
    close: () => {
      // Requests without an answer would keep it open.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

/** Returns the environment of a command line with a service token at the stage `shop/dev` of a service. */
export function environmentAt({ url }: HostileService): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    ROLLKEY_URL: url,
    ROLLKEY_ORG: 'acme',
    ROLLKEY_PROJECT: 'shop',
    ROLLKEY_STAGE: 'dev',
    ROLLKEY_TOKEN: 'svc_st_x',
    ROLLKEY_KEYCHAIN: 'off',
  }
}
