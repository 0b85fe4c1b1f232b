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

const tickMs = 1_000
const heartbeatMs = 15_000
/** How long between checks that the reader's credential is still valid. */
const confirmMs = 10_000
/** How long a stream stays open while its credential cannot be checked. */
const unconfirmedMs = 60_000
/** Maximum unread bytes of a reader. The connection of a slower reader is closed. */
const maxWaiting = 1_048_576

/** Throws the error that a new request with the same credential would get. */
export type Confirm = () => Promise<unknown>

type Subscription = Pick<Subscriptions, 'start' | 'stop'>

export class EventStream {
  readonly #watch: Subscription
  readonly #subject: SubscriptionFilter
  readonly #clock: Clock

  constructor(watch: Subscription, subject: SubscriptionFilter, clock: Clock) {
    this.#watch = watch
    this.#subject = subject
    this.#clock = clock
  }

  /** Starts the answer. Resolves when the answer has begun and throws the error that prevents it from beginning. */
  async open(envelope: Envelope, holder: SubscriberOrigin, confirm: Confirm): Promise<void> {
    const { response } = envelope
    const reader = new Reader(this.#subject, holder, envelope, this.#clock)
    if (response.req.method === 'HEAD') return reader.end()
    const timer = setInterval(() => void reader.tick(confirm), tickMs).unref()
    response.once('close', () => {
      clearInterval(timer)
      this.#watch.stop(reader)
    })
    await this.#watch.start(reader)
    reader.begin()
  }
}

class Reader implements Subscriber {
  readonly subject: SubscriptionFilter
  readonly holder: SubscriberOrigin
  readonly #envelope: Envelope
  readonly #clock: Clock
  cursor: Cursor | undefined
  #writtenAtMs: number
  #confirmedAtMs: number
  #askedAtMs: number

  constructor(subject: SubscriptionFilter, holder: SubscriberOrigin, envelope: Envelope, clock: Clock) {
    this.subject = subject
    this.holder = holder
    this.#envelope = envelope
    this.#clock = clock
    this.#writtenAtMs = this.#confirmedAtMs = this.#askedAtMs = clock.now()
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
    if (this.#isPast(this.#writtenAtMs, heartbeatMs)) this.#write(':\n\n')
    if (!this.#isPast(this.#askedAtMs, confirmMs)) return
    this.#askedAtMs = this.#clock.now()
    try {
      await confirm()
      this.#confirmedAtMs = this.#askedAtMs
    } catch (error) {
      const apiError = error instanceof ApiError ? error : new ApiError('SERVICE_UNAVAILABLE')
      const isRefusal = apiError.code !== 'SERVICE_UNAVAILABLE'
      if (isRefusal || this.#isPast(this.#confirmedAtMs, unconfirmedMs)) this.end(apiError)
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
    if (response.writableLength > maxWaiting) {
      response.destroy()
      return
    }
    if (!response.headersSent) sendStreamHead(this.#envelope)
    response.write(text)
    this.#writtenAtMs = this.#clock.now()
  }
}
