/**
 * Sends the new revisions of a project as server-sent events (HTML standard, section 9.2). The id of each event is the cursor
 * of the reader after it, so a reader that reconnects with that id misses nothing.
 */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import type { ChangeEvent } from '../live/change-events.ts'
import { cursorText, type Cursor } from '../live/cursor.ts'
import type { SubscriberOrigin, SubscriptionFilter, Subscriptions, Subscriber } from '../live/subscriptions.ts'
import { errorText, sendStreamHead, type Envelope } from './reply.ts'

const tickIntervalMs = 1_000
const heartbeatIntervalMs = 15_000
/** How long between checks that the reader's credential is still valid. */
const confirmIntervalMs = 10_000
/** How long a stream stays open while its credential cannot be checked. */
const maxUnconfirmedMs = 60_000
/** Maximum unread bytes of a reader. The connection of a slower reader is closed. */
const maxUnreadBytes = 1_048_576

/** Throws the error that a new request with the same credential would get. */
export type Confirm = () => Promise<unknown>

type Subscription = Pick<Subscriptions, 'start' | 'stop'>

export class EventStream {
  readonly #subscriptions: Subscription
  readonly #filter: SubscriptionFilter
  readonly #clock: Clock
  readonly #assertVisible: () => void

  /** `assertVisible` throws the refusal of a reader for whom the project does not exist anymore. */
  constructor(subscriptions: Subscription, filter: SubscriptionFilter, clock: Clock, assertVisible: () => void) {
    this.#subscriptions = subscriptions
    this.#filter = filter
    this.#clock = clock
    this.#assertVisible = assertVisible
  }

  /** Starts the answer. Resolves when the answer has begun and throws the error that prevents it from beginning. */
  async open(envelope: Envelope, origin: SubscriberOrigin, confirm: Confirm): Promise<void> {
    const { response } = envelope
    const reader = new Reader(this.#filter, origin, envelope, this.#clock)
    if (response.req.method === 'HEAD') return reader.end()
    const confirmAll = async (): Promise<void> => {
      await confirm()
      this.#assertVisible()
    }
    const timer = setInterval(() => void reader.tick(confirmAll), tickIntervalMs).unref()
    response.once('close', () => {
      clearInterval(timer)
      this.#subscriptions.stop(reader)
    })
    await this.#subscriptions.start(reader)
    reader.begin()
  }
}

class Reader implements Subscriber {
  readonly filter: SubscriptionFilter
  readonly origin: SubscriberOrigin
  readonly #envelope: Envelope
  readonly #clock: Clock
  cursor: Cursor | undefined
  #writtenAtMs: number
  #confirmedAtMs: number
  #attemptedAtMs: number

  constructor(filter: SubscriptionFilter, origin: SubscriberOrigin, envelope: Envelope, clock: Clock) {
    this.filter = filter
    this.origin = origin
    this.#envelope = envelope
    this.#clock = clock
    this.#writtenAtMs = this.#confirmedAtMs = this.#attemptedAtMs = clock.now()
  }

  /** Writes an id without an event, so a reader can resume even if no event has been sent. */
  begin(): void {
    this.#write(`${this.#id}\n\n`)
  }

  notify({ stageSlug, revision, names }: ChangeEvent): void {
    const data = JSON.stringify({ stageSlug, revision, names })
    this.#write(`event: ${names ? 'revision' : 'reset'}\n${this.#id}\ndata: ${data}\n\n`)
  }

  /** Ends the stream. `apiError`: the reason; undefined when the service stops. */
  end(apiError?: ApiError): void {
    const { response, requestId } = this.#envelope
    this.#write(apiError ? `event: end\ndata: ${errorText(apiError, requestId)}\n\n` : '')
    response.end()
  }

  async tick(confirm: Confirm): Promise<void> {
    if (this.#isPast(this.#writtenAtMs, heartbeatIntervalMs)) this.#write(':\n\n')
    if (!this.#isPast(this.#attemptedAtMs, confirmIntervalMs)) return
    this.#attemptedAtMs = this.#clock.now()
    try {
      await confirm()
      this.#confirmedAtMs = this.#attemptedAtMs
    } catch (error) {
      const apiError = error instanceof ApiError ? error : new ApiError('SERVICE_UNAVAILABLE')
      const isRefusal = apiError.code !== 'SERVICE_UNAVAILABLE'
      if (isRefusal || this.#isPast(this.#confirmedAtMs, maxUnconfirmedMs)) this.end(apiError)
    }
  }

  /** Returns whether this time has passed. A clock that was set back counts too, so that it does not suspend the checks. */
  #isPast(timeMs: number, ms: number): boolean {
    return Math.abs(this.#clock.now() - timeMs) >= ms
  }

  get #id(): string {
    return `id: ${cursorText(this.cursor ?? new Map())}`
  }

  #write(text: string): void {
    const { response } = this.#envelope
    if (response.destroyed || response.writableEnded) return
    if (response.writableLength > maxUnreadBytes) {
      response.destroy()
      return
    }
    if (!response.headersSent) sendStreamHead(this.#envelope)
    response.write(text)
    this.#writtenAtMs = this.#clock.now()
  }
}
