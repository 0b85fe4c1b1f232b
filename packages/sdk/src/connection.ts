/** Sends every request of this package, with its token, its attempts and its request key. */
import { answerOf, bodyOf, type Asked } from './answer.ts'
import { RollkeyError } from './errors.ts'
import { system, type Host } from './host.ts'
import { delayMs, mayRetry, retryRules, type RetryRules } from './retry.ts'
import { tokenSource } from './tokens.ts'
import { Transport, type Message, type Reply } from './transport.ts'
import type { ClientOptions, TokenSource } from './types.ts'
import { operations } from './wire-tables.ts'
import type { Answer, OperationName, Request } from './wire.ts'

/** Options of a connection. Public endpoints need no token. */
export type ConnectionOptions = Pick<ClientOptions, 'url' | 'retry' | 'timeoutMs' | 'allowHttp' | 'fetch'> &
  Partial<Pick<ClientOptions, 'token'>>

interface CallOptions {
  /** Cancels the call, which then throws `CLOSED`. */
  readonly signal?: AbortSignal | undefined
  /** Returns whether this call must not be retried after an error that is otherwise worth a retry. */
  readonly isFinal?: (error: unknown) => boolean
  /** Name of the event that the call counts as, the same in calls that repeat it. @default another one for each call */
  readonly requestKey?: string | undefined
}

/** An answer with its tag, if it has one. */
export interface TaggedAnswer<Name extends OperationName> {
  readonly answer: Answer<Name>
  readonly etag: string | undefined
}

/** A call and how to read its reply, the same for all its attempts. */
interface Call<Name extends OperationName, Result> extends CallOptions {
  readonly name: Name
  readonly request: Request<Name>
  readonly headers: Record<string, string>
  /** Returns the result of a reply. Throws RollkeyError. */
  readonly read: (reply: Reply) => Result
}

/** Returns a random name for an event that counts once (docs/api.md, "Metering"). */
export function newRequestKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function messageOf<Name extends OperationName>(
  name: Name,
  request: Request<Name>,
  headers: Record<string, string>,
  requestKey?: string,
): Message {
  const { method, path, hasKey } = operations[name]
  if (method === 'GET') return { method, target: path + queryOf(request), headers, body: null }
  return {
    method,
    target: path,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(hasKey && { 'x-service-request-key': requestKey ?? newRequestKey() }),
    },
    body: JSON.stringify(request),
  }
}

function queryOf(fields: object): string {
  const url = new URL('http://host')
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url.search
}

export class Connection {
  readonly host: Host
  readonly #transport: Transport
  readonly #tokens: TokenSource | undefined
  readonly #retry: RetryRules

  /** Throws INVALID_SETTING. */
  constructor({ token, retry, ...options }: ConnectionOptions, host = system) {
    this.host = host
    this.#transport = new Transport(options)
    this.#tokens = token === undefined ? undefined : tokenSource(token)
    this.#retry = retryRules(retry)
  }

  /** Address of the service. */
  get url(): string {
    return this.#transport.base
  }

  /** A signal that aborts when the connection closes. */
  get closing(): AbortSignal {
    return this.#transport.closing
  }

  /** Calls an endpoint. Throws RollkeyError. */
  call<Name extends OperationName>(
    name: Name,
    request: Request<Name>,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    const read = (reply: Reply): Answer<Name> => this.#read(name, reply, request)
    return this.#send({ name, request, headers: {}, read, ...options })
  }

  /** Returns the answer and its tag, or undefined if it still has the tag `etag`. Throws RollkeyError. */
  ifChanged<Name extends 'manifest' | 'ruleset'>(
    name: Name,
    request: Request<Name>,
    etag: string | undefined,
    options: CallOptions = {},
  ): Promise<TaggedAnswer<Name> | undefined> {
    return this.#send({
      name,
      request,
      headers: etag === undefined ? {} : { 'if-none-match': etag },
      read: (reply) => {
        if (reply.status === 304) return undefined
        return { answer: this.#read(name, reply, request), etag: reply.headers.get('etag') ?? undefined }
      },
      ...options,
    })
  }

  /** Opens the stream of events of a project, which aborting `attempt` ends. Throws RollkeyError. */
  events(request: Request<'events'>, attempt: AbortController): Promise<ReadableStream<Uint8Array>> {
    const message = messageOf('events', request, { accept: 'text/event-stream' })
    return this.#attempt('events', message, async (sent) => {
      return bodyOf(await this.#transport.open(sent, attempt), this.#asked(request), this.host.now())
    })
  }

  /** Aborts the calls in progress. Later calls fail with CLOSED. */
  close(): void {
    this.#transport.close()
  }

  #read<Name extends OperationName>(name: Name, reply: Reply, request: Request<Name>): Answer<Name> {
    return answerOf(name, reply, this.#asked(request), this.host.now())
  }

  #asked(request: object): Asked {
    const { orgSlug: org } = request as { readonly orgSlug?: string }
    return { origin: this.url, org }
  }

  async #send<Name extends OperationName, Result>(call: Call<Name, Result>): Promise<Result> {
    const { name, request, read, signal, requestKey, isFinal = () => false } = call
    const message = messageOf(name, request, call.headers, requestKey)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(name, message, async (sent) => read(await this.#transport.exchange(sent, signal)))
      } catch (error) {
        const waitMs = delayMs(attempt, error, this.#retry, this.host)
        if (waitMs === undefined || isFinal(error) || !mayRetry(name, request, error)) throw error
        await this.host.wait(waitMs, { signal: this.closing })
      }
    }
  }

  /** Sends a message once, and once more if the service refused the token and there is another one. */
  async #attempt<Result>(
    name: OperationName,
    message: Message,
    send: (message: Message) => Promise<Result>,
  ): Promise<Result> {
    if (operations[name].isPublic || !this.#tokens) return send(message)
    const token = await this.#tokens.token()
    try {
      return await send(authorized(message, token))
    } catch (error) {
      if (!(error instanceof RollkeyError && error.code === 'UNAUTHORIZED')) throw error
      const other = await this.#tokens.renew?.(token)
      if (other === undefined) throw error
      return send(authorized(message, other))
    }
  }
}

/** Adds a token. Checks it first, since `Headers` would quote an invalid one in its error. Throws INVALID_SETTING. */
function authorized(message: Message, token: string): Message {
  if (!token) {
    throw new RollkeyError(
      'INVALID_SETTING',
      'The token is empty: set ROLLKEY_TOKEN, or what the program takes it from, to a token of rollkey token create.',
    )
  }
  // The characters of RFC 6750, section 2.1.
  if (!/^[\w.~+/-]+=*$/.test(token)) {
    throw new RollkeyError(
      'INVALID_SETTING',
      'The token contains characters that no token has, such as quotes, spaces or line breaks. Copy it again, without what is around it.',
    )
  }
  return { ...message, headers: { ...message.headers, authorization: `Bearer ${token}` } }
}
