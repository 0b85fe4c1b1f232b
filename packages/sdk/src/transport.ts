/** One HTTP request and its reply, within its time. */
import { RollkeyError } from './errors.ts'

/** A request as it goes out, the same in each attempt. */
export interface Message {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** What came back. */
export interface Reply {
  readonly status: number
  readonly headers: FetchReply['headers']
  readonly text: string
}

/** What this package asks of `fetch`, and no more: the global one does, and so does what is smaller. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchReply>

export interface FetchInit {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | null
  /** A redirect is an answer like any other. */
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

export interface FetchReply {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

export interface TransportOptions {
  readonly url: string
  readonly timeoutMs?: number | undefined
  readonly allowHttp?: boolean | undefined
  readonly fetch?: Fetch | undefined
}

/** Names of this machine that no name server is asked for, and its addresses. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

function baseOf(url: string, allowHttp: boolean): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  if (!parsed || !isHttp || parsed.username || parsed.password || parsed.search || parsed.hash) {
    // Not quoted: an address with a password in it would be.
    throw new RollkeyError('INVALID_SETTING', 'url must be an http or https address without user, query and fragment.')
  }
  if (parsed.protocol === 'http:' && !loopback.test(parsed.hostname) && !allowHttp) {
    throw new RollkeyError(
      'INVALID_SETTING',
      `${parsed.origin} is plain http to another machine: anyone on the way could read tokens and values. Use https, or allow ` +
        'it with --insecure-http, ROLLKEY_INSECURE_HTTP=1 or the option allowHttp.',
    )
  }
  return parsed.href.replace(/\/+$/, '')
}

export class Transport {
  /** Address of the service, without a slash at its end. */
  readonly base: string
  readonly #timeoutMs: number
  readonly #fetch: Fetch
  readonly #closing = new AbortController()
  readonly #running = new Set<AbortController>()

  /** Throws INVALID_SETTING. */
  constructor({ url, timeoutMs = 5_000, allowHttp = false, fetch: given }: TransportOptions) {
    this.base = baseOf(url, allowHttp)
    this.#timeoutMs = timeoutMs
    // A plain call, since browsers refuse a fetch with another `this`; looked up late, since tests replace the global.
    this.#fetch = (input, init) => (given ?? fetch)(input, init)
  }

  /** Is aborted when the transport is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Throws UNREACHABLE or CLOSED. */
  async exchange({ method, target, headers, body }: Message): Promise<Reply> {
    if (this.closing.aborted) throw closed()
    // Of its own, since signals made of a long-lived one (AbortSignal.any) leak on Node 20.
    const attempt = new AbortController()
    this.#running.add(attempt)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      attempt.abort()
    }, this.#timeoutMs)
    try {
      // Never to where a redirect points: the token is for this service alone. Workers know no `redirect: 'error'`.
      const init: FetchInit = { method, headers, body, redirect: 'manual', signal: attempt.signal }
      const response = await this.#fetch(`${this.base}${target}`, init)
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (cause) {
      if (this.closing.aborted) throw closed()
      const why = isLate ? `did not answer within ${this.#timeoutMs} ms` : 'cannot be reached'
      throw new RollkeyError('UNREACHABLE', `${this.base} ${why}${isLate ? '' : reasonOf(cause)}.`, { cause })
    } finally {
      clearTimeout(timer)
      this.#running.delete(attempt)
    }
  }

  /** Ends what is under way; later requests fail with CLOSED. */
  close(): void {
    this.#closing.abort()
    for (const attempt of this.#running) attempt.abort()
  }
}

function closed(): RollkeyError {
  return new RollkeyError('CLOSED', 'The client was closed.')
}

/** Such as ECONNREFUSED, which Node hides one level down. Never the error's text, which may quote what was sent. */
function reasonOf(error: unknown): string {
  const code = (error as { cause?: { code?: unknown } }).cause?.code
  return typeof code === 'string' ? ` (${code})` : ''
}
