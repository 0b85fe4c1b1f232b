/** Answers requests that are not valid HTTP, in the common error format. */
import type { Socket } from 'node:net'
import { errors, type ErrorCode } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { answerOn } from './limits/connections.ts'
import { errorText } from './reply.ts'
import { requestIdOf } from './request-id.ts'

/** How long a client may keep sending after its request was refused as invalid HTTP. */
const refusedLingerMs = 2_000

/** Answers errors that Node's parser reports before there is a request. */
export function refuseFraming(error: NodeJS.ErrnoException, socket: Socket): void {
  const codes: Record<string, [ErrorCode, string?]> = {
    HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE'],
    HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PAYLOAD_TOO_LARGE', 'The chunk extensions are too large.'],
    ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT'],
  }
  const [code, message] = codes[error.code ?? ''] ?? ['INVALID_REQUEST', 'The request is not valid HTTP/1.1.']
  if (error.code === 'ECONNRESET') socket.destroy()
  else refuse(socket, new ApiError(code, message))
}

/**
 * Closes a connection that has made no progress within the time limit, because the client neither reads the answer nor closes the
 * connection. Keeps a connection whose answer is still being produced.
 */
export function closeUnlessBusy(socket: Socket): void {
  const isBusy = answerOn(socket) && !socket.writableEnded && socket.writableLength === 0
  if (!isBusy) socket.destroy()
}

/** Answers below HTTP: writes the error to the socket and closes it. */
export function refuse(socket: Socket, apiError: ApiError): void {
  // Further data is discarded for a while: a client whose sending fails may never read the answer.
  if (socket.writableEnded) return
  // An answer that has already begun cannot be replaced.
  if (!socket.writable || answerOn(socket)?.headersSent) {
    socket.destroy()
    return
  }
  const requestId = requestIdOf(undefined)
  const { status } = errors[apiError.code]
  const text = errorText(apiError, requestId)
  socket.end(
    `HTTP/1.1 ${status} ${apiError.code}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${text}`,
  )
  const timer = setTimeout(() => socket.destroy(), refusedLingerMs)
  socket.once('close', () => clearTimeout(timer))
}
