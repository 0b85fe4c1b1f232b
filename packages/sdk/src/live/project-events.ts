/** Follows the events of a project: one stream at a time, opened again each time it ends. */
import type { Connection } from '../connection.ts'
import { RollkeyError } from '../errors.ts'
import type { Host } from '../host.ts'
import { backOffMs, retryAfterMs } from '../retry.ts'
import type { Answer, Request } from '../wire.ts'
import { EventParser } from './server-events.ts'

/** A new revision of a stage, with the names that it changed. Without names, the whole stage must be read again. */
export interface ChangeEvent extends Answer<'events'> {
  /** Slug of the stage. */
  readonly stageSlug: string
  /** Its new revision. */
  readonly revision: number
}

/**
 * What a feed calls. An error that one of its functions throws ends the feed.
 *
 * @example
 * const listener: EventListener = {
 *   onEvents: (events) => console.log(events.map(({ stageSlug, revision }) => `${stageSlug} is at ${revision}`)),
 *   onReset: () => console.log('any stage may have changed'),
 *   onConnected: () => {},
 * }
 */
export interface EventListener {
  /**
   * Receives the events that arrived together, and the cursor after them: the revisions of all stages, such as `dev:12,prod:7`, or a
   * text that only the service reads, if the project has many. A stream begins with its cursor and no events. May throw.
   *
   * @throws Any error. It ends the feed.
   */
  readonly onEvents: (events: readonly ChangeEvent[], cursor: string) => void
  /**
   * Reports that any stage may have changed: read again what you hold. Called before `onEvents`.
   *
   * @throws Any error. It ends the feed.
   */
  readonly onReset: () => void
  /**
   * Reports stages whose proposed changes have moved, been edited or been reviewed: list them again (docs/change.md). Absent: nothing.
   *
   * @throws Any error. It ends the feed.
   */
  readonly onProposals?: (stageSlugs: readonly string[]) => void
  /**
   * Reports whether the stream is open.
   *
   * @throws Any error. It ends the feed.
   */
  readonly onConnected: (isConnected: boolean) => void
}

/** The service sends a heartbeat every 15 seconds. After more than twice that, the connection is dead. */
const maxSilenceMs = 35_000
/** How long a stream must last so that its end is not a failure: its token expired, or the service restarts. */
const steadyMs = 5_000
const backOff = { baseDelayMs: 1_000, maxDelayMs: 30_000 }

/** The events of a project, which continue where they ended. */
export class ProjectEvents {
  readonly #connection: Connection
  readonly #request: Request<'events'>
  #cursor: string | undefined

  constructor(connection: Connection, { since, ...project }: Request<'events'>) {
    this.#connection = connection
    this.#request = project
    this.#cursor = since
  }

  /** Follows the events until the signal aborts. Throws errors that do not pass by waiting, and what the listener throws. */
  async follow(listener: EventListener, signal: AbortSignal): Promise<void> {
    const { host } = this.#connection
    let failures = 0
    for (let waitMs = 0; !signal.aborted;) {
      listener.onConnected(false)
      if (waitMs > 0) await host.wait(waitMs, { signal, idle: true })
      const startedAtMs = host.now()
      const error = await this.#listen(listener, signal)
      if (signal.aborted) return
      if (error && !passes(error)) throw error
      failures = Math.abs(host.now() - startedAtMs) < steadyMs ? failures + 1 : 1
      waitMs = retryAfterMs(error) + backOffMs(failures, backOff, host)
    }
  }

  /** Reads one stream to its end. Returns the error that prevented it, or undefined. Throws what the listener throws. */
  async #listen(listener: EventListener, signal: AbortSignal): Promise<RollkeyError | undefined> {
    const stream = new AbortController()
    const end = (): void => stream.abort()
    const silence = new Silence(this.#connection.host, end)
    signal.addEventListener('abort', end)
    try {
      const body = await this.#connection.events({ ...this.#request, since: this.#cursor }, stream)
      await this.#read(body.getReader(), listener, silence)
    } catch (error) {
      if (!(error instanceof RollkeyError)) throw error
      return error
    } finally {
      silence.end()
      signal.removeEventListener('abort', end)
      end()
    }
    return undefined
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    { onEvents, onReset, onProposals, onConnected }: EventListener,
    silence: Silence,
  ): Promise<void> {
    const parser = new EventParser()
    let told: string | undefined
    for (let isFirst = true; ; isFirst = false) {
      silence.restart()
      // A broken connection is an end like any other.
      const { value } = await reader.read().catch(() => ({ value: undefined }))
      if (!value) return
      // Not before: a proxy that holds back the body has sent the headers.
      if (isFirst) onConnected(true)
      const received = parser.push(value).filter(({ type }) => types.has(type))
      const { lastId } = parser
      if (lastId === undefined || (lastId === told && received.length === 0)) continue
      told = this.#cursor = lastId
      const changes = received.filter(({ type }) => type !== 'change').map(({ data }) => dataOf(data))
      if (changes.some((change) => !isOfStage(change))) onReset()
      onEvents(changes.filter(isOfStage), told)
      const moved = received
        .filter(({ type }) => type === 'change')
        .map(({ data }) => (dataOf(data) as ChangeEvent).stageSlug)
      if (moved.length > 0) onProposals?.(moved)
    }
  }
}

/** Ends what was silent for too long. */
class Silence {
  readonly #host: Host
  readonly #end: () => void
  #heard = new AbortController()

  constructor(host: Host, end: () => void) {
    this.#host = host
    this.#end = end
  }

  restart(): void {
    this.end()
    const { signal } = (this.#heard = new AbortController())
    void this.#host.wait(maxSilenceMs, { signal, idle: true }).then(() => signal.aborted || this.#end())
  }

  end(): void {
    this.#heard.abort()
  }
}

/** The events that matter. Others, such as the reason of an end, tell nothing that the next request does not. */
const types: ReadonlySet<string> = new Set(['revision', 'reset', 'change'])

function isOfStage(change: Answer<'events'>): change is ChangeEvent {
  return change.stageSlug !== undefined
}

function dataOf(data: string): Answer<'events'> {
  try {
    return JSON.parse(data) as Answer<'events'>
  } catch (cause) {
    throw new RollkeyError('INVALID_ANSWER', 'The service sent an event that is not JSON.', { cause })
  }
}

/** Returns whether the same request may succeed later. */
function passes({ retry, status = 0 }: RollkeyError): boolean {
  return retry === 'backoff' || status >= 500
}
