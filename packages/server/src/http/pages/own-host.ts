/**
 * Serves pages only under the public host name of the service. Otherwise a site that points its own name at this address (DNS
 * rebinding) would share an origin with these pages.
 */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../base/api-error.ts'
import { sendError } from '../reply.ts'
import { requestIdOf } from '../request-id.ts'
import type { Answer } from '../server.ts'

/** RFC 9110, section 15.5.20: Misdirected Request. */
const misdirected = 421
const loopbackName = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/
const loopbackAddress = /^(::ffff:)?127\.|^::1$/

/** Returns the host name in a Host header, without its port; undefined if the header is not valid. */
function nameOf(host: string): string | undefined {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

function isOwn({ headers: { host }, socket }: IncomingMessage, ownName: string): boolean {
  // A request without a Host header is HTTP/1.0, which no browser uses.
  if (host === undefined) return true
  const name = nameOf(host)
  if (name === undefined) return false
  return name === ownName || (loopbackName.test(name) && loopbackAddress.test(socket.localAddress ?? ''))
}

/** Serves a page at the host name of `publicUrl` on any port, and on loopback addresses also at loopback names. */
export function atOwnHost(publicUrl: string, answer: Answer): Answer {
  const { hostname, origin } = new URL(publicUrl)
  return (request, response) => {
    if (isOwn(request, hostname)) return answer(request, response)
    const apiError = new ApiError(
      'INVALID_REQUEST',
      `This page is served at ${origin}, and the request names another host: open ${origin}, or set ROLLKEY_PUBLIC_URL to the address that people use.`,
    )
    sendError({ response, requestId: requestIdOf(request.headers['x-request-id']), common: [] }, apiError, misdirected)
  }
}
