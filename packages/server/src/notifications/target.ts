/**
 * Where a webhook sends: an https URL at a public address, or any URL at an address of the networks that the operator lists. The address is
 * looked up once and checked, and the connection goes to exactly that one, so that a name cannot lead elsewhere after the check.
 */
import type { BlockList } from 'node:net'
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { hasAddress, isPublicAddress } from '../upstream/networks.ts'

const defaultTimeoutMs = 5_000
const maxAnswerBytes = 64 * 1_024
/** Ports of public addresses. Others belong to services that take no webhooks. */
const publicPorts = ['', '443', '8443']

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

  constructor(options: TargetOptions) {
    this.#options = options
    this.#resolve = options.resolve ?? resolveByDns
  }

  /** Sends a message with POST. Follows no redirect. Never throws. */
  async send(text: string, message: Message, signal: AbortSignal): Promise<Outcome> {
    const startedAt = performance.now()
    const { timeoutMs = defaultTimeoutMs } = this.#options
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const outcome = await this.#send(new URL(text), message, ended).catch((error: unknown) => ({
      failure: ended.aborted ? `no answer within ${timeoutMs / 1_000} seconds` : reasonOf(error),
    }))
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
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
    return { status: await this.#post(url, address, message, signal) }
  }

  #post(url: URL, address: string, { headers, body }: Message, signal: AbortSignal): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const request = (url.protocol === 'http:' ? http : https).request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      signal,
      // The address that was checked.
      lookup: (_, options, done) => {
        const family = isIP(address)
        if (options.all) done(null, [{ address, family }])
        else done(null, address, family)
      },
      ...(this.#options.ca !== undefined && { ca: this.#options.ca }),
    })
    request.once('error', reject)
    request.once('response', (answer) => {
      let length = 0
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxAnswerBytes) answer.destroy()
      })
      answer.once('error', () => undefined)
      answer.once('close', () => resolve(answer.statusCode ?? 0))
    })
    request.end(body)
    return promise
  }
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
