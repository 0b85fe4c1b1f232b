/**
 * Where a webhook sends: an https URL at a public address, or any URL at an address of the networks that the operator lists. The address is
 * looked up and checked for each message, which goes to exactly that one, so that a name cannot lead elsewhere after the check. Connections
 * are kept for the next message to the same host at the same address.
 */
import type { BlockList } from 'node:net'
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, type Socket } from 'node:net'
import { hasAddress, isPublicAddress } from '../upstream/networks.ts'

const defaultTimeoutMs = 5_000
const maxAnswerBytes = 64 * 1_024
/** Ports of public addresses. Others belong to services that take no webhooks. */
const publicPorts = ['', '443', '8443']
/** How long a connection is kept without a message. */
const defaultIdleMs = 8_000
/** Maximum connections without a message, of a target and of all. */
const maxIdle = { ofTarget: 16, ofAll: 128 }
/** Errors of a connection that the receiver has closed. */
const closedByReceiver = ['ECONNRESET', 'EPIPE']

/** The receiver closed a kept connection, as it may at any time, so a new one decides what becomes of the message. */
class ClosedConnection extends Error {}

/** Returns all addresses of a host. Throws if it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>

const resolveByDns: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** What came of sending a message: an answer, or the reason why there was none. The reason is short and names no address. */
export type Outcome =
  | { readonly status: number; readonly durationMs: number }
  | { readonly failure: string; readonly durationMs: number }

export interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface TargetOptions {
  /** Networks besides the public addresses. */
  readonly allowed: BlockList
  readonly resolve?: Resolve
  readonly timeoutMs?: number
  readonly idleMs?: number
  /** Certificates of authorities that are trusted besides the usual ones. */
  readonly ca?: string
}

/**
 * Returns what is wrong with the URL of a webhook itself, otherwise undefined. Its host is only looked up when something is sent.
 */
export function problemOfTarget(text: string, allowed: BlockList): string | undefined {
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'url must have no user name and password'
  const host = hostOf(url)
  const isListed = hasAddress(allowed, host)
  const mayBeListed = isListed || (isIP(host) === 0 && allowed.rules.length > 0)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBeListed)) return 'url must begin with https://'
  if (!publicPorts.includes(url.port) && !mayBeListed) return 'url must have the port 443 or 8443'
  if (isIP(host) !== 0 && !isListed && !isPublicAddress(host)) return 'url must be at a public address'
  return undefined
}

/** Sends messages to the URLs of webhooks. */
export class Target {
  readonly #options: TargetOptions
  readonly #resolve: Resolve
  readonly #agents: Readonly<Record<'http:' | 'https:', http.Agent>>

  constructor(options: TargetOptions) {
    this.#options = options
    this.#resolve = options.resolve ?? resolveByDns
    const kept = { keepAlive: true, maxFreeSockets: maxIdle.ofTarget, timeout: options.idleMs ?? defaultIdleMs }
    this.#agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) }
    for (const agent of Object.values(this.#agents))
      agent.on('free', (socket: Socket) => {
        if (this.#idle > maxIdle.ofAll) socket.destroy()
      })
  }

  /** Sends a message with POST. Follows no redirect. Never throws. */
  async send(text: string, message: Message, signal: AbortSignal): Promise<Outcome> {
    const startedAt = performance.now()
    const { timeoutMs = defaultTimeoutMs } = this.#options
    const ended = new AbortController()
    const end = (): void => ended.abort()
    const timer = setTimeout(end, timeoutMs)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const outcome = await this.#send(new URL(text), message, ended.signal).catch((error: unknown) => ({
      failure: ended.signal.aborted ? `no answer within ${timeoutMs / 1_000} seconds` : reasonOf(error),
    }))
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
  }

  /** Closes the connections that are kept. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  /** Number of connections without a message. */
  get #idle(): number {
    const free = Object.values(this.#agents).flatMap(({ freeSockets }) => Object.values(freeSockets))
    return free.reduce((sum, sockets = []) => sum + sockets.length, 0)
  }

  async #send(
    url: URL,
    message: Message,
    signal: AbortSignal,
  ): Promise<{ readonly status: number } | { readonly failure: string }> {
    const { allowed } = this.#options
    const problem = problemOfTarget(url.href, allowed)
    if (problem !== undefined) return { failure: problem }
    const host = hostOf(url)
    const addresses = isIP(host) === 0 ? await untilAborted(this.#resolve(host), signal) : [host]
    const needsListed = url.protocol === 'http:' || !publicPorts.includes(url.port)
    const isAllowed = (each: string): boolean => hasAddress(allowed, each) || (!needsListed && isPublicAddress(each))
    const [address] = addresses
    if (address === undefined || !addresses.every(isAllowed)) return { failure: 'its host is at no public address' }
    const agent = this.#agents[url.protocol as 'http:' | 'https:']
    try {
      return { status: await this.#post(url, message, { address, agent, signal }) }
    } catch (error) {
      if (!(error instanceof ClosedConnection)) throw error
      return { status: await this.#post(url, message, { address, agent: false, signal }) }
    }
  }

  /** Posts to an address. `agent`: false for a connection that is not kept. */
  #post(
    url: URL,
    message: Message,
    { address, agent, signal }: { address: string; agent: http.Agent | false; signal: AbortSignal },
  ): Promise<number> {
    const { headers, body } = message
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const request = (url.protocol === 'http:' ? http : https).request(url, {
      method: 'POST',
      // The address that was checked. TLS takes the name from the header `host`.
      hostname: address,
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body) },
      agent,
      signal,
      ...(this.#options.ca !== undefined && { ca: this.#options.ca }),
    })
    request.once('error', (error) => {
      const isClosed = request.reusedSocket && !signal.aborted && closedByReceiver.includes(reasonOf(error))
      reject(isClosed ? new ClosedConnection() : error)
    })
    request.once('response', (answer) => {
      const { statusCode: status = 0, socket } = answer
      let length = 0
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxAnswerBytes) answer.destroy()
      })
      answer.once('error', () => undefined)
      if (!isAccepted(status)) answer.once('end', () => socket.destroy())
      answer.once('close', () => resolve(status))
    })
    request.end(body)
    return promise
  }
}

/** Returns whether a receiver accepts a message by this status. */
export function isAccepted(status: number): boolean {
  return status >= 200 && status < 300
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return Promise.race([promise, aborted])
}

/** Returns the code of an error of the network or of TLS, which names no address. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: string; name: string }
  return code ?? name
}
