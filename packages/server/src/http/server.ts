/** The HTTP server: node:http with limits, framing errors in the common error format, and a graceful stop. */
import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http'
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { Connections, RefusedAddresses, type ConnectionBounds } from './limits/connections.ts'
import { DiscardedBodies } from './limits/discarded-bodies.ts'
import { followAlone, ReleasableRequest, whenAnswered } from './released-request.ts'
import { closeUnlessBusy, refuse, refuseFraming } from './framing.ts'
import { restoreMethod, resumeAtList, type ParserError } from './list-method.ts'
import { sendError } from './reply.ts'
import { requestIdOf } from './request-id.ts'
import { traceIdOf } from '../tracing/trace-context.ts'

/** Answers a request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

/** The pages outside the API, by path. A path that ends with a slash stands for all paths below it. */
export type Pages = Readonly<Record<string, Answer>>

export interface Site {
  readonly pages: Pages
  /** The document that a browser gets at any other path. The web application does the rest of the routing. */
  readonly document: Answer
  /** Everything else. */
  readonly api: Answer
}

export interface Limits {
  /**
   * How long a whole request may take to arrive, and how long an answer may wait for its reader. The head of a request may take a
   * third of this.
   */
  readonly timeoutMs?: number
  readonly connections?: ConnectionBounds
}

const unbounded: ConnectionBounds = { total: Infinity, perAddress: Infinity, isProxy: () => false }

const keepAliveTimeoutMs = 75_000
const drainPollMs = 50
/** How long idle connections stay open after a stop begins, for requests that clients sent before they noticed. */
const lingerMs = 250
const apiPrefix = '/v1/'

export class HttpServer {
  readonly #server: Server
  readonly #connections: Connections
  readonly #discardedBodies = new DiscardedBodies()
  readonly #log: Log
  #site: Site | undefined
  readonly #opened = Promise.withResolvers<Site>()
  #isDraining = false

  constructor(log: Log, { timeoutMs = 30_000, connections = unbounded }: Limits = {}) {
    this.#log = log
    this.#connections = new Connections(connections)
    const answer = (request: IncomingMessage, response: ServerResponse): void => this.#answer(request, response)
    this.#server = createServer(
      {
        IncomingMessage: ReleasableRequest,
        // All Authorization lines must be visible; by default Node drops the second.
        joinDuplicateHeaders: true,
        requireHostHeader: false,
        maxHeaderSize: limits.headerBytes,
        headersTimeout: timeoutMs / 3,
        requestTimeout: timeoutMs,
        connectionsCheckingInterval: timeoutMs / 30,
        keepAliveTimeout: keepAliveTimeoutMs,
        noDelay: true,
      },
      answer,
    )
    this.#server.setTimeout(timeoutMs, closeUnlessBusy)
    // An option of net.Server that createServer of node:http does not pass on.
    Object.assign(this.#server, { blockList: new RefusedAddresses(this.#connections) })
    this.#server.on('connection', (socket) => this.#connections.add(socket))
    this.#server.on('checkExpectation', answer)
    this.#server.on('clientError', (error: ParserError, socket) => {
      if (!resumeAtList(this.#server, error, socket as Socket)) refuseFraming(error, socket as Socket)
    })
    this.#server.on('upgrade', (request, socket) => this.#answerReleased(request, socket as Socket))
    this.#server.on('connect', (_, socket) => refuse(socket as Socket, new ApiError('METHOD_NOT_ALLOWED')))
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    restoreMethod(request)
    if (this.#isDraining) response.setHeader('connection', 'close')
    void this.#dispatch(request, response).then(() => this.#answered(request))
  }

  #answered(request: IncomingMessage): void {
    this.#connections.answered(request)
    if (request.complete) return
    this.#discardedBodies.add(request)
    request.once('end', () => this.#connections.answered(request))
  }

  /** Answers a request that has left node:http, as the last one of its connection. */
  #answerReleased(request: IncomingMessage, socket: Socket): void {
    this.#connections.occupied(socket)
    followAlone(socket)
    whenAnswered(socket, () => {
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => {
        response.detachSocket(socket)
        socket.destroySoon()
      })
      void this.#dispatch(request, response)
    })
  }

  async #dispatch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      assertHost(request)
      await route(this.#site ?? (await this.#opened.promise), request)(request, response)
    } catch (error) {
      this.#refuse(error, request, response)
    }
  }

  #refuse(error: unknown, { headers }: IncomingMessage, response: ServerResponse): void {
    const requestId = requestIdOf(headers['x-request-id'])
    if (!(error instanceof ApiError)) {
      const traceId = traceIdOf(headers['traceparent'])
      this.#log.error('page request failed', { requestId, traceId, reason: reasonOf(error) })
    }
    if (response.headersSent) response.destroy()
    else sendError({ response, requestId, common: [] }, error instanceof ApiError ? error : new ApiError('INTERNAL'))
  }

  /** Starts to answer requests. Requests that arrived since `listen` have waited for this. */
  open(site: Site): void {
    this.#site = site
    this.#opened.resolve(site)
  }

  /** Starts to listen. Port 0 means any free port. Resolves with the port. `setting`: the name of the port's setting. */
  listen(host: string, port: number, setting = 'ROLLKEY_PORT'): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(cannotListen(error, host, port, setting)))
      this.#server.listen(port, host, () => {
        this.#server.removeAllListeners('error')
        resolve((this.#server.address() as AddressInfo).port)
      })
    })
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /**
   * Stops the server: accepts no new connections, answers requests on open connections and closes each connection after its
   * answer. Closes idle connections after a moment, and all others after `patienceMs`.
   */
  async drain(patienceMs: number): Promise<void> {
    this.#isDraining = true
    const startedAt = performance.now()
    const closed = new Promise<'closed'>((resolve) => {
      // The close method of node:http would close idle connections, on which a request may already be arriving.
      NetServer.prototype.close.call(this.#server, () => resolve('closed'))
    })
    do {
      const waitedMs = performance.now() - startedAt
      if (waitedMs >= patienceMs) for (const socket of this.#connections) socket.destroy()
      else if (waitedMs >= lingerMs) this.#closeIdle()
    } while ((await Promise.race([closed, sleep(drainPollMs, 'open')])) === 'open')
  }

  #closeIdle(): void {
    this.#server.closeIdleConnections()
    // Node does not consider a connection idle before its first byte.
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy()
  }
}

/** Throws INVALID_REQUEST if the Host header is missing or repeated (RFC 9112, section 3.2). */
function assertHost({ headers: { host }, httpVersion }: IncomingMessage): void {
  if (host === undefined && httpVersion === '1.1')
    throw new ApiError('INVALID_REQUEST', 'The Host header is missing: HTTP/1.1 requires one.')
  if (host?.includes(',')) throw new ApiError('INVALID_REQUEST', 'Duplicate Host header: send it once.')
}

/** Returns the answer that handles a request. */
function route({ pages, document, api }: Site, { url = '', method, headers }: IncomingMessage): Answer {
  if (url.startsWith(apiPrefix)) return api
  const [path = ''] = url.split('?', 1)
  const folder = path.slice(0, path.indexOf('/', 1) + 1)
  const page = Object.hasOwn(pages, path) ? pages[path] : Object.hasOwn(pages, folder) ? pages[folder] : undefined
  if (page) return page
  return method === 'GET' && headers.accept?.includes('text/html') === true ? document : api
}

/** Returns an error whose message tells the operator why the port cannot be used. */
function cannotListen(error: NodeJS.ErrnoException, host: string, port: number, setting: string): Error {
  const at = `Port ${port} of ${host}`
  const messages: Record<string, string> = {
    EADDRINUSE: `${at} is in use: stop what uses it, or set ${setting}.`,
    EACCES: `${at} requires more privileges than this user has: set ${setting} to 1024 or more.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set ROLLKEY_HOST.`,
    ENOTFOUND: `${host} is not an address of this machine: set ROLLKEY_HOST.`,
  }
  return new Error(
    messages[error.code ?? ''] ??
      `cannot listen on port ${port} of ${host} (${error.code}): set ROLLKEY_HOST and ${setting}.`,
    { cause: error },
  )
}
