/** A service outside as a real HTTP server that speaks its protocol, and can be in trouble. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { makeTrouble, type PeerFailure } from './slow-peer.ts'

export interface FakeServerRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  /** JSON, or text as it is. */
  readonly body?: object | string
}

/**
 * `works`; answers something else and does nothing; `hangs`, `drips` or `resets` the connection; does its work and then says nothing
 * (`works and hangs`), 500 (`works and fails`) or the half of it (`works and breaks off`).
 */
export type FailureMode = 'works' | PeerFailure | 'works and hangs' | 'works and fails' | 'works and breaks off' | Reply

export abstract class FakeServer {
  readonly #server: Server
  failureMode: FailureMode = 'works'
  /** One for each of the next requests, before `mood` is in force again. */
  readonly passingMoods: FailureMode[] = []
  /** All that was asked, whatever came of it. */
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
    const request = { method, path, headers, body: await text(incoming) }
    this.requests.push(request)
    this.#react(request, response)
  }

  #react(request: FakeServerRequest, response: ServerResponse): void {
    const failureMode = this.passingMoods.shift() ?? this.failureMode
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

  /** On a free port the first time, then on the same. */
  async start(): Promise<void> {
    this.#server.listen(this.url === '' ? 0 : Number(new URL(this.url).port), '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Nothing listens any more. */
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
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
