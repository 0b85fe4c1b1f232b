/** Serves a handler of the Fetch standard: a function from a Request to a Response. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '@rollkey/contract'
import { readBody } from '../steps/read-body.ts'
import type { PendingBodies } from '../limits/pending-bodies.ts'
import type { Answer } from '../server.ts'

export interface FetchPageParts {
  readonly handle: (request: Request) => Promise<Response>
  /** The URL at which people reach the service. */
  readonly publicUrl: string
  /** Returns the client address of a request, which is passed on in `addressHeader`. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly addressHeader: string
  readonly pendingBodies: PendingBodies
}

async function toRequest(incoming: IncomingMessage, outgoing: ServerResponse, parts: FetchPageParts): Promise<Request> {
  const { method = 'GET' } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  headers.set(parts.addressHeader, parts.addressOf(incoming))
  const pending = parts.pendingBodies.bodyOf(incoming, outgoing)
  const body = ['GET', 'HEAD'].includes(method)
    ? null
    : new Uint8Array(await readBody(incoming, limits.identityBodyBytes, pending))
  return new Request(parts.publicUrl + (incoming.url ?? ''), { method, headers, body })
}

export function fetchPage(parts: FetchPageParts): Answer {
  return async (incoming, outgoing) => {
    const response = await parts.handle(await toRequest(incoming, outgoing, parts))
    const head: Record<string, string | string[]> = Object.fromEntries(response.headers)
    const cookies = response.headers.getSetCookie()
    if (cookies.length > 0) head['set-cookie'] = cookies
    head['cache-control'] = 'no-store'
    head['x-content-type-options'] = 'nosniff'
    outgoing.writeHead(response.status, head)
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  }
}
