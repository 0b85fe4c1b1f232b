/** Bodies: at most so many bytes, UTF-8 decoded fatally, one JSON value. RULINGS, "Bodies", "Sizes". */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../base/api-error.ts'
import type { PendingBody } from './pending-bodies.ts'

/** Memory of the object around a chunk: a client may send a body byte by byte. */
const bytesAroundChunk = 256

function tooLarge(most: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than the ${most} bytes that this endpoint takes.`)
}

/**
 * Returns all bytes of the body. Throws PAYLOAD_TOO_LARGE, from the head alone where that tells the length, and RATE_LIMITED
 * if too much waits already. If the client goes away in the middle, the promise stays pending and goes with the request.
 */
export function readBody(request: IncomingMessage, most: number, pending?: PendingBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? Infinity)
    if (announced > most && announced !== Infinity) {
      reject(tooLarge(most))
      return
    }
    const chunks: Buffer[] = []
    let length = 0
    const finish = (): void => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    const keep = (chunk: Buffer): void => {
      length += chunk.length
      if (length > most) throw tooLarge(most)
      if (length !== announced) pending?.add(chunk.length + bytesAroundChunk)
      chunks.push(chunk)
    }
    const read = (chunk: Buffer): void => {
      try {
        keep(chunk)
        if (length === announced) finish()
      } catch (error) {
        request.off('data', read).pause()
        reject(error)
      }
    }
    request.on('data', read)
    if (announced === Infinity || announced === 0) request.on('end', finish)
  })
}

/** Throws INVALID_JSON; the parser's own message would quote the body. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('INVALID_JSON', 'The body is not UTF-8.')
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new ApiError('INVALID_JSON')
  }
}
