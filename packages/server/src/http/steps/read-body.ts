import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../base/api-error.ts'
import type { PendingBodies, PendingBody } from '../limits/pending-bodies.ts'
import type { Step } from './step.ts'

/** Takes the input from the body: one JSON value in valid UTF-8, of at most `maxBytes` (docs/api.md). */
export const readJson =
  (maxBytes: number, pendingBodies: PendingBodies): Step =>
  (context) => {
    const { request, response } = context
    context.input ??= readBody(request, maxBytes, pendingBodies.bodyOf(request, response)).then(parseJson)
  }

/** Memory of the object around a chunk. It counts because a client may send a body byte by byte. */
const bytesAroundChunk = 256

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is too large: this endpoint accepts at most ${maxBytes} bytes.`)
}

/**
 * Returns all bytes of the body. Throws PAYLOAD_TOO_LARGE, without reading if the head announces the length, and RATE_LIMITED if
 * too many bytes are pending. If the client disconnects before the end, the promise stays pending and is collected with the request.
 */
export function readBody(request: IncomingMessage, maxBytes: number, pending?: PendingBody): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? Infinity)
  if (announced > maxBytes && announced !== Infinity) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    const earlier: Buffer[] = []
    let length = 0
    const read = (chunk: Buffer): void => {
      length += chunk.length
      try {
        if (length > maxBytes) throw tooLarge(maxBytes)
        if (length === announced) {
          resolve(earlier.length === 0 ? chunk : Buffer.concat([...earlier, chunk]))
          return
        }
        pending?.add(chunk.length + bytesAroundChunk)
        earlier.push(chunk)
      } catch (error) {
        request.off('data', read).pause()
        reject(error)
      }
    }
    request.on('data', read)
    if (announced === Infinity || announced === 0) request.on('end', () => resolve(Buffer.concat(earlier)))
  })
}

/** Parses a body. Throws INVALID_JSON without the parser's message, which would quote the body. */
function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('INVALID_JSON', 'The body is not valid UTF-8: send UTF-8 encoded JSON.')
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new ApiError('INVALID_JSON')
  }
}
