/** Bodies: at most so many bytes, UTF-8 decoded fatally, one JSON value. RULINGS, "Bodies", "Sizes". */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Fault } from '../base/fault.ts'

function tooLarge(most: number): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', `The body is larger than the ${most} bytes that this endpoint takes.`)
}

/**
 * All bytes of the body. Throws PAYLOAD_TOO_LARGE, from the head alone where that tells the length. If the client goes
 * away in the middle, nobody is left to be answered: the promise stays as it is and goes with the request.
 */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? Infinity)
    if (announced > most && announced !== Infinity) {
      reject(tooLarge(most))
      return
    }
    const chunks: Buffer[] = []
    let length = 0
    const finish = (): void => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= most) chunks.push(chunk)
      else {
        chunks.length = 0 // what still comes is read and thrown away, so that the answer can be received
        reject(tooLarge(most))
      }
      if (length === announced) finish()
    })
    if (announced === Infinity || announced === 0) request.on('end', finish)
  })
}

/** Throws INVALID_JSON; the parser's own message would quote the body. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Fault('INVALID_JSON', 'The body is not UTF-8.')
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new Fault('INVALID_JSON')
  }
}
