/** Sends one HTTP request and returns its reply, within a time limit. */
import { RollkeyError } from './errors.ts'
import { isLoopback, serviceUrl } from './service-url.ts'

/** A request, the same in each attempt. */
export interface Message {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** The reply to a request. */
export interface Reply {
  readonly status: number
  readonly headers: FetchReply['headers']
  readonly text: string
}

/** A reply that goes on. A refusal has a text, and no body. */
export interface OpenReply extends Reply {
  readonly body: FetchReply['body']
}

/**
 * The part of `fetch` that this package uses (https://fetch.spec.whatwg.org/#fetch-method). The global `fetch` satisfies it,
 * and so do smaller implementations. A `RollkeyError` is passed on, and so is an error with a `digest`, which is how the `fetch` of
 * Next.js stops rendering a page in advance. Any other error becomes `UNREACHABLE`.
 *
 * @example
 * const logged: Fetch = async (url, init) => {
 *   const reply = await fetch(url, init)
 *   console.log(init.method, url, reply.status)
 *   return reply
 * }
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchReply>

/** The options that this package passes to `fetch`. */
export interface FetchInit {
  /** `GET` or `POST`. */
  readonly method: string
  /** Headers by lower-case name. One of them is the token. */
  readonly headers: Record<string, string>
  /** JSON, or null for a GET. */
  readonly body: string | null
  /** Redirects are not followed. The client reports them as errors. */
  readonly redirect: 'manual'
  /** Answers are not stored. Absent where `Request` has no `cache`, as in Workers with a compatibility date before 2024-11-11. */
  readonly cache?: 'no-store'
  /** Ends the request: after `timeoutMs`, or when the client is closed. */
  readonly signal: AbortSignal
}

/**
 * The part of a `Response` that this package reads.
 *
 * @example
 * const reply: FetchReply = new Response('{}', { status: 503, headers: { 'retry-after': '1' } })
 */
export interface FetchReply {
  /** HTTP status. 0 for a redirect in a browser. */
  readonly status: number
  /** Headers. */
  readonly headers: {
    /** Returns a header by its lower-case name, or null if there is none. Never throws. */
    get(name: string): string | null
  }
  /**
   * Returns the body.
   *
   * @throws Any error, if the connection breaks. It becomes `UNREACHABLE`.
   */
  text(): Promise<string>
  /**
   * The body as it arrives. `watch` reads events from it.
   *
   * @default absent: `watch` polls
   */
  readonly body?: ReadableStream<Uint8Array> | null
}

export interface TransportOptions {
  readonly url: string
  readonly timeoutMs?: number | undefined
  readonly allowHttp?: boolean | undefined
  readonly fetch?: Fetch | undefined
}

function parseBase(url: string, allowHttp: boolean): string {
  const base = serviceUrl(url, 'url')
  const { protocol, hostname, origin } = new URL(base)
  if (protocol === 'http:' && !isLoopback(hostname) && !allowHttp) {
    throw new RollkeyError(
      'INVALID_SETTING',
      `${origin} is plain http to another machine: anyone on the network path could read tokens and values. Use https, ` +
        'or allow plain http with the option allowHttp or ROLLKEY_INSECURE_HTTP=1.',
    )
  }
  return base
}

export class Transport {
  /** Address of the service, without a slash at its end. */
  readonly base: string
  readonly #timeoutMs: number
  readonly #fetch: Fetch
  readonly #closing = new AbortController()
  readonly #running = new Set<AbortController>()

  /** Throws INVALID_SETTING. */
  constructor({ url, timeoutMs = 5_000, allowHttp = false, fetch: customFetch }: TransportOptions) {
    this.base = parseBase(url, allowHttp)
    this.#timeoutMs = timeoutMs
    // A plain call, since browsers refuse `fetch` with another `this`. Looked up per call, since tests replace the global.
    this.#fetch = (input, init) => (customFetch ?? fetch)(input, init)
  }

  /** A signal that aborts when the transport closes. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Sends a message and returns the reply. Throws UNREACHABLE or CLOSED. */
  async exchange(message: Message, signal?: AbortSignal): Promise<Reply> {
    // A separate controller, since signals derived from a long-lived one (AbortSignal.any) leak on Node 20.
    const attempt = new AbortController()
    const abort = (): void => attempt.abort()
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    this.#running.add(attempt)
    try {
      return await this.#request(message, attempt, async (response) => {
        const { status, headers } = response
        return { status, headers, text: await response.text() }
      })
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#running.delete(attempt)
    }
  }

  /** Sends a message and returns the reply once it begins. Aborting `attempt` ends it. Throws UNREACHABLE or CLOSED. */
  open(message: Message, attempt: AbortController): Promise<OpenReply> {
    return this.#request(message, attempt, async (response) => {
      const { status, headers, body } = response
      return { status, headers, body, text: status === 200 ? '' : await response.text() }
    })
  }

  async #request<Result>(
    { method, target, headers, body }: Message,
    attempt: AbortController,
    read: (response: FetchReply) => Promise<Result>,
  ): Promise<Result> {
    if (this.closing.aborted) throw closed()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      attempt.abort()
    }, this.#timeoutMs)
    try {
      // Redirects are not followed: the token is for this service alone. Workers don't support `redirect: 'error'`.
      const init: FetchInit = { method, headers, body, redirect: 'manual', ...cacheOption(), signal: attempt.signal }
      return await read(await this.#fetch(`${this.base}${target}`, init))
    } catch (cause) {
      if (this.closing.aborted) throw closed()
      if (attempt.signal.aborted && !isLate) throw new RollkeyError('CLOSED', 'The call was canceled.', { cause })
      if (isLate) {
        throw new RollkeyError(
          'UNREACHABLE',
          `${this.base} did not answer within ${this.#timeoutMs} ms. Check the service and the network.`,
          { cause },
        )
      }
      const isForCaller = cause instanceof RollkeyError || (cause instanceof Error && 'digest' in cause)
      throw isForCaller ? cause : unreachable(this.base, cause)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Aborts the requests in progress. Later requests fail with CLOSED. */
  close(): void {
    this.#closing.abort()
    for (const attempt of this.#running) attempt.abort()
  }
}

/**
 * Returns what keeps a `fetch` from storing answers. That of Next.js stores them on disk when it renders a page in advance, also those to
 * a POST with a token. Workers that lack the option refuse it.
 */
function cacheOption(): Pick<FetchInit, 'cache'> {
  return 'cache' in (globalThis.Request?.prototype ?? {}) ? { cache: 'no-store' } : {}
}

function closed(): RollkeyError {
  return new RollkeyError('CLOSED', 'The client was closed. Create a new one.')
}

/** Codes of Node for a certificate whose authority it does not know. */
const unknownAuthority: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const unknownAuthorityHelp =
  'its certificate is from an authority that Node does not know. Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority'

/** What helps, by the code of Node. */
const helps: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start the service, or correct the address',
  ENOTFOUND: 'no machine has this name. Correct the address, or look at DNS and the VPN',
  EAI_AGAIN: 'the name server does not answer. Look at the network and the VPN',
  ERR_SSL_WRONG_VERSION_NUMBER: 'there is no TLS at this port. Correct the port, or write http:// for this machine',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'there is no TLS at this port. Correct the port, or write http:// for this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name. Use the name of the certificate',
  CERT_HAS_EXPIRED: 'its certificate has expired. Ask the operator to renew it, and check the clock of this machine',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Check the clock of this machine',
}

/** Returns the code of an error of `fetch`. Node puts it into `cause`, or into the errors of one for a name with several addresses. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = ((error as { cause?: unknown } | null)?.cause ?? {}) as { code?: unknown; errors?: unknown }
  const [first] = Array.isArray(errors) ? (errors as { code?: unknown }[]) : []
  return [code, first?.code].find((each) => typeof each === 'string')
}

/**
 * Returns `UNREACHABLE` for an error of `fetch`, with its code such as ECONNREFUSED and what helps. Node puts the code into `cause`.
 * The error never has the message, which may quote the request. Never throws.
 *
 * @example
 * await fetch('https://rollkey.example.com/readyz').catch((error: unknown) => {
 *   throw unreachable('https://rollkey.example.com', error)
 * })
 */
export function unreachable(url: string, error: unknown): RollkeyError {
  const code = codeOf(error)
  const reason = code === undefined ? '' : ` (${code})`
  const advice = unknownAuthority.has(code) ? unknownAuthorityHelp : code === undefined ? undefined : helps[code]
  const help = advice === undefined ? '' : `: ${advice}`
  return new RollkeyError('UNREACHABLE', `${url} cannot be reached${reason}${help}.`, { cause: error })
}
