/** A fake of an external service: a real HTTP server that speaks its protocol and can fail on request. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { makeTrouble, type PeerFailure } from './slow-peer.ts'

export interface FakeServerRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly bytes: Buffer
}

export interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  /** JSON, or text or bytes that are sent unchanged. */
  readonly body?: object | string
}

/**
 * The behavior of the server: it `works`; it does nothing and gives another answer; it `hangs`, `drips` or `resets` the
 * connection; or it does its work and then sends nothing (`works and hangs`), a 500 (`works and fails`) or half of the answer
 * (`works and breaks off`).
 */
export type FailureMode = 'works' | PeerFailure | 'works and hangs' | 'works and fails' | 'works and breaks off' | Reply

export abstract class FakeServer {
  readonly #server: Server
  failureMode: FailureMode = 'works'
  /** One for each of the next requests, before `failureMode` applies again. */
  readonly nextFailureModes: FailureMode[] = []
  /** All requests, whatever their result. */
  readonly requests: FakeServerRequest[] = []
  url = ''

  constructor() {
    this.#server = createServer((incoming, response) => {
      void this.#serve(incoming, response)
    })
  }

  protected abstract take(request: FakeServerRequest): Reply

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    const bytes = await buffer(incoming)
    const request = { method, path, headers, body: bytes.toString(), bytes }
    this.requests.push(request)
    this.#react(request, response)
  }

  #react(request: FakeServerRequest, response: ServerResponse): void {
    const failureMode = this.nextFailureModes.shift() ?? this.failureMode
    if (failureMode === 'hangs' || failureMode === 'resets' || failureMode === 'drips')
      return makeTrouble(response, failureMode)
    if (typeof failureMode === 'object') return answer(response, failureMode)
    const reply = this.take(request)
    if (failureMode === 'works and hangs') return
    if (failureMode === 'works and fails') return answer(response, { status: 500 })
    if (failureMode === 'works and breaks off') {
      const whole = JSON.stringify(reply.body)
      response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': whole.length })
      response.write(whole.slice(0, whole.length / 2), () => response.destroy())
      return
    }
    answer(response, reply)
  }

  /** Starts on a free port the first time, and on the same port afterwards. */
  async start(): Promise<void> {
    this.#server.listen(this.url === '' ? 0 : Number(new URL(this.url).port), '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Stops listening. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

function answer(response: ServerResponse, { status, headers, body = {} }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
}
