/**
 * Sends the new revisions of a project as server-sent events (HTML standard, section 9.2). The id of each event is the cursor
 * of the reader after it, so a reader that reconnects with that id misses nothing.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import type { ChangeEvent } from '../live/change-events.ts'
import type { Subscriber, SubscriberOrigin, SubscriberView, SubscriptionFilter } from '../live/subscriber.ts'
import type { Subscriptions } from '../live/subscriptions.ts'
import { errorText, sendStreamHead, type Envelope } from './reply.ts'

const heartbeatIntervalMs = 15_000
/** How long between checks that the reader's credential is still valid. */
const confirmIntervalMs = 10_000
/** How long a stream stays open while its credential cannot be checked. */
const maxUnconfirmedMs = 60_000
/** Maximum unread bytes of a reader. The connection of a slower reader is closed. */
const maxUnreadBytes = 1_048_576

/** Throws the error that a new request with the same credential would get. */
export type Confirm = () => Promise<unknown>

/** An event of a stream. */
interface StreamEvent {
  readonly event: string
  readonly data: object
}

/** What a stream says about changes. */
export interface StreamFormat {
  /** Event with which a stream begins. Absent: it begins with an id alone. */
  readonly first?: StreamEvent
  readonly eventOf: (change: ChangeEvent) => StreamEvent
  /** Event for moves of the proposed changes of a stage. Absent: the stream does not report them. */
  readonly movedEventOf?: (stageSlug: string) => StreamEvent
  /** For readers who do not see all of a stage: events are sent only when the version of their view, which is also their id, has changed. */
  readonly view?: SubscriberView & {
    /** The version that the client has; undefined: none. */
    readonly since: string | undefined
  }
}

/** The events of the API. */
const apiFormat: StreamFormat = {
  eventOf: ({ stageSlug, revision, names }) => ({
    event: names ? 'revision' : 'reset',
    data: { stageSlug, revision, names },
  }),
  movedEventOf: (stageSlug) => ({ event: 'change', data: { stageSlug } }),
}

type Subscription = Pick<Subscriptions, 'start' | 'stop'>

export class EventStream {
  readonly #subscriptions: Subscription
  readonly #filter: SubscriptionFilter
  readonly #clock: Clock
  readonly #assertVisible: () => void
  readonly #format: StreamFormat

  /** `assertVisible` throws the refusal of a reader for whom the project does not exist anymore. */
  constructor(
    subscriptions: Subscription,
    filter: SubscriptionFilter,
    clock: Clock,
    assertVisible: () => void,
    format = apiFormat,
  ) {
    this.#subscriptions = subscriptions
    this.#filter = filter
    this.#clock = clock
    this.#assertVisible = assertVisible
    this.#format = format
  }

  /** Starts the answer. Resolves when the answer has begun and throws the error that prevents it from beginning. */
  async open(envelope: Envelope, origin: SubscriberOrigin, confirm: Confirm): Promise<void> {
    const { response } = envelope
    const { socket } = response
    // The client has disconnected.
    if (!socket || socket.destroyed) return
    if (response.req.method === 'HEAD') {
      sendStreamHead(envelope)
      response.end()
      return
    }
    const confirmAll = async (): Promise<void> => {
      await confirm()
      this.#assertVisible()
    }
    const parts = { envelope, socket, confirm: confirmAll, clock: this.#clock, format: this.#format }
    const reader = new Reader(this.#filter, origin, parts)
    socket.once('close', () => this.#subscriptions.stop(reader))
    await this.#subscriptions.start(reader)
    reader.begin()
  }
}

interface ReaderParts {
  readonly envelope: Envelope
  readonly socket: Socket
  readonly confirm: Confirm
  readonly clock: Clock
  readonly format: StreamFormat
}

class Reader implements Subscriber {
  readonly filter: SubscriptionFilter
  readonly origin: SubscriberOrigin
  readonly #socket: Socket
  readonly #requestId: string
  readonly #confirm: Confirm
  readonly #clock: Clock
  readonly #format: StreamFormat
  /** Undefined as soon as the answer has begun: then only its connection matters. */
  #envelope: Envelope | undefined
  id: string | undefined
  #writtenAtMs: number
  #confirmedAtMs: number
  #attemptedAtMs: number

  constructor(
    filter: SubscriptionFilter,
    origin: SubscriberOrigin,
    { envelope, socket, confirm, clock, format }: ReaderParts,
  ) {
    this.filter = filter
    this.origin = origin
    this.#envelope = envelope
    this.#socket = socket
    this.#requestId = envelope.requestId
    this.#confirm = confirm
    this.#clock = clock
    this.#format = format
    this.#writtenAtMs = this.#confirmedAtMs = this.#attemptedAtMs = clock.now()
  }

  get view(): SubscriberView | undefined {
    return this.#format.view
  }

  /** Writes an id, so a reader can resume even if no event has been sent. */
  begin(): void {
    const { first, view } = this.#format
    if (first && (!view || view.since !== this.id)) this.#send(first)
    else this.#write(`id: ${this.id}\n\n`)
  }

  get notifyMoved(): ((stageSlug: string) => void) | undefined {
    const { movedEventOf } = this.#format
    return movedEventOf && ((stageSlug) => this.#send(movedEventOf(stageSlug)))
  }

  notify(change: ChangeEvent): void {
    this.#send(this.#format.eventOf(change))
  }

  #send({ event, data }: StreamEvent): void {
    this.#write(`event: ${event}\nid: ${this.id}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Ends the stream. `apiError`: the reason; undefined when the service stops. */
  end(apiError?: ApiError): void {
    this.#write(apiError ? `event: end\ndata: ${errorText(apiError, this.#requestId)}\n\n` : '')
    this.#socket.destroySoon()
  }

  tick(): void {
    if (this.#isPast(this.#writtenAtMs, heartbeatIntervalMs)) this.#write(':\n\n')
    if (this.#isPast(this.#attemptedAtMs, confirmIntervalMs)) void this.#check()
  }

  async #check(): Promise<void> {
    this.#attemptedAtMs = this.#clock.now()
    try {
      await this.#confirm()
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

  #write(text: string): void {
    const socket = this.#socket
    if (socket.destroyed || socket.writableEnded) return
    if (socket.writableLength > maxUnreadBytes) {
      socket.destroy()
      return
    }
    if (this.#envelope) this.#beginAnswer(this.#envelope, text)
    else socket.write(text)
    this.#writtenAtMs = this.#clock.now()
  }

  /** Writes the head and the first text, and takes the connection over from the answer. */
  #beginAnswer(envelope: Envelope, text: string): void {
    sendStreamHead(envelope)
    envelope.response.write(text)
    envelope.response.detachSocket(this.#socket)
    this.#envelope = undefined
  }
}
