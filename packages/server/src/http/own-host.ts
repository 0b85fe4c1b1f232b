/**
 * Pages are served only under the name that people know the service by. A site that gives its own name the address of this
 * service (DNS rebinding) would otherwise share an origin with them.
 */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../base/api-error.ts'
import { sendError } from './reply.ts'
import { requestIdOf } from './request-id.ts'
import type { Answer } from './server.ts'

/** RFC 9110, section 15.5.20: Misdirected Request. */
const misdirected = 421
const loopbackName = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/
const loopbackAddress = /^(::ffff:)?127\.|^::1$/

/** The name in a Host header, without its port; undefined if it is not valid. */
function nameOf(host: string): string | undefined {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

function isOwn({ headers: { host }, socket }: IncomingMessage, ownName: string): boolean {
  // Without a Host header it is HTTP/1.0, which no browser speaks.
  if (host === undefined) return true
  const name = nameOf(host)
  if (name === undefined) return false
  return name === ownName || (loopbackName.test(name) && loopbackAddress.test(socket.localAddress ?? ''))
}

/** Serves a page at the name of `publicUrl`, whatever the port, and on loopback at loopback names too. */
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
