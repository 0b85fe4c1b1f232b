/** Bodies: at most so many bytes, UTF-8 decoded fatally, one JSON value. RULINGS, "Bodies", "Sizes". */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Fault } from '../base/fault.ts'

/** The client went away in the middle; there is nobody to answer. */
export class ClientGone extends Error {}

function tooLarge(most: number): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', `The body is larger than the ${most} bytes that this endpoint takes.`)
}

/** All bytes of the body. Throws PAYLOAD_TOO_LARGE, from the header alone where there is one, or ClientGone. */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = request.headers['content-length']
    if (announced !== undefined && Number(announced) > most) {
      reject(tooLarge(most))
      return
    }
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= most) chunks.push(chunk)
      else {
        chunks.length = 0 // what still comes is read and thrown away, so that the answer can be received
        reject(tooLarge(most))
      }
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    // Comes after every request; an error is made only for one that was cut, since its stack is dear.
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone())
    })
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
