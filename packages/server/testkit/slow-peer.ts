/** An upstream service on the network whose answers a test controls, or that fails. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Failures: accepts and sends nothing; ends the connection; sends a byte of an endless answer from time to time. */
export type PeerFailure = 'hangs' | 'resets' | 'drips'

export const peerTroubles: readonly PeerFailure[] = ['hangs', 'resets', 'drips']

const dripMs = 20

export function makeTrouble(response: ServerResponse, trouble: PeerFailure): void {
  if (trouble === 'resets') response.socket?.resetAndDestroy()
  if (trouble !== 'drips') return
  response.writeHead(200, { 'content-type': 'application/json' }).write('{')
  const dripping = setInterval(() => response.write(' '), dripMs)
  response.on('close', () => clearInterval(dripping))
}

/** Sends an endless answer, as fast as the client reads it. */
export class EndlessAnswer {
  readonly #maxBytes: number
  sentBytes = 0

  /** Total bytes of all requests after which it hangs. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  readonly send = (response: ServerResponse): void => {
    const piece = ' '.repeat(64 * 1024)
    const more = (): void => {
      for (let goesOn = true; goesOn && this.sentBytes < this.#maxBytes; this.sentBytes += piece.length) {
        goesOn = response.write(piece)
      }
    }
    response.on('drain', more)
    more()
  }
}

type Answering = (response: ServerResponse, request: IncomingMessage) => void

export class SlowPeer {
  readonly #server: Server
  answer: Answering | PeerFailure
  requests = 0
  /** Requests without an answer yet, and their maximum at one time. */
  open = 0
  maxOpen = 0

  private constructor(server: Server, answer: Answering | PeerFailure) {
    this.#server = server
    this.answer = answer
  }

  static async start(answer: Answering | PeerFailure): Promise<SlowPeer> {
    const server = createServer()
    const peer = new SlowPeer(server, answer)
    server.on('request', (request, response) => peer.#serve(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return peer
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.requests++
    this.maxOpen = Math.max(this.maxOpen, ++this.open)
    response.on('close', () => this.open--)
    if (typeof this.answer === 'function') this.answer(response, request)
    else makeTrouble(response, this.answer)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
