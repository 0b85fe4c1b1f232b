/** Keeps the ruleset of a stage current: by the stream of its project, and by asking every 30 seconds while there is none. */
import type { Connection, TaggedAnswer } from '../connection.ts'
import { RollkeyError } from '../errors.ts'
import type { Streams } from '../live/streams.ts'
import { backOffMs, retryAfterMs } from '../retry.ts'
import { onWire } from '../stage-ref.ts'
import type { StageRef } from '../types.ts'

export type TaggedRuleset = TaggedAnswer<'ruleset'>

interface FeedParts {
  readonly connection: Connection
  readonly streams: Streams
}

/** What a feed tells. None of its functions may throw. */
export interface FeedListener {
  /** Receives another ruleset. */
  readonly onRuleset: (ruleset: TaggedRuleset) => void
  /** Tells that the ruleset is the current one: undefined; or why that is not known. */
  readonly onState: (problem: RollkeyError | undefined) => void
}

/** Interval between two requests while there is no stream, in milliseconds. */
const intervalMs = 30_000
const backOff = { baseDelayMs: 1_000, maxDelayMs: intervalMs }

export class RulesetFeed {
  readonly #parts: FeedParts
  readonly #stageRef: StageRef
  readonly #names: readonly string[] | undefined
  readonly #listener: FeedListener
  #etag: string | undefined
  #revision: number | undefined
  /** The last revision that the stream told. Undefined: it told none, and the stage must be asked. */
  #streamed: number | undefined
  #stream: 'none' | 'open' | 'lost' = 'none'
  #failures = 0
  #wake = (): void => {}
  #isDue = false
  #fetching: Promise<void> | undefined

  constructor(
    parts: FeedParts,
    { stageRef, names }: { stageRef: StageRef; names: readonly string[] | undefined },
    listener: FeedListener,
  ) {
    this.#parts = parts
    this.#stageRef = stageRef
    this.#names = names
    this.#listener = listener
  }

  /** Takes over a ruleset that was saved earlier. */
  resume({ answer, etag }: TaggedRuleset): void {
    this.#etag = etag
    this.#revision = answer.revision
  }

  /** Requests the ruleset and tells the listener what changed. Concurrent calls share one request. Throws RollkeyError. */
  fetch(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching
  }

  async #fetch(): Promise<void> {
    const { connection } = this.#parts
    const request = { ...onWire(this.#stageRef), ...(this.#names && { names: this.#names }) }
    try {
      const changed = await connection.ifChanged('ruleset', request, this.#etag)
      if (changed) {
        this.resume(changed)
        this.#listener.onRuleset(changed)
      }
      this.#failures = 0
      this.#listener.onState(undefined)
    } catch (error) {
      this.#failures++
      // After a refusal, nothing of the ruleset may be used, so the next answer must have all of it.
      if (isRefusal(error)) this.#etag = this.#revision = undefined
      if (error instanceof RollkeyError && error.code !== 'CLOSED') this.#listener.onState(error)
      throw error
    }
  }

  /** Follows the changes until the signal aborts. */
  follow(signal: AbortSignal): void {
    this.#parts.streams.subscribe(
      this.#stageRef,
      (streamed) => {
        if (streamed) this.#receive(streamed.revision)
        else this.#lose()
      },
      signal,
    )
    void this.#run(signal)
  }

  #receive(revision: number | undefined): void {
    this.#stream = 'open'
    this.#streamed = revision
    if (revision !== undefined && revision === this.#revision) {
      this.#failures = 0
      this.#listener.onState(undefined)
    } else this.#askNow()
  }

  /** A stream that ends is opened again within a second. If that fails, asking must not wait for its interval. */
  #lose(): void {
    const mustAsk = this.#stream === 'lost'
    // Until now, the stream has told each change.
    if (this.#stream === 'open' && this.#failures === 0) this.#listener.onState(undefined)
    this.#stream = this.#stream === 'open' ? 'lost' : 'none'
    if (mustAsk) this.#askNow()
  }

  #askNow(): void {
    this.#isDue = true
    this.#wake()
  }

  async #run(signal: AbortSignal): Promise<void> {
    let waitMs = intervalMs
    while (!signal.aborted) {
      if (!this.#isDue) await this.#wait(waitMs, signal)
      if (signal.aborted) return
      const isDue = this.#isDue || this.#failures > 0 || this.#stream !== 'open'
      this.#isDue = false
      const error = isDue ? await this.#fetchAfterwards() : undefined
      // A revision that the stream has told and the service does not answer yet counts as a failure.
      const isBehind = error === undefined && this.#stream === 'open' && (this.#streamed ?? 0) > (this.#revision ?? 0)
      if (isBehind) this.#failures++
      waitMs = this.#failures > 0 ? retryAfterMs(error) + backOffMs(this.#failures, backOff, this.#host) : intervalMs
    }
  }

  /** Requests the ruleset after a request in progress, whose answer may be older. Returns the error. */
  async #fetchAfterwards(): Promise<unknown> {
    await this.#fetching?.catch(noError)
    return this.fetch().then(noError, (error: unknown) => error)
  }

  get #host() {
    return this.#parts.connection.host
  }

  async #wait(waitMs: number, signal: AbortSignal): Promise<void> {
    const waiting = new AbortController()
    this.#wake = () => waiting.abort()
    signal.addEventListener('abort', this.#wake, { signal: waiting.signal })
    await this.#host.wait(waitMs, { signal: waiting.signal, idle: true })
    waiting.abort()
  }
}

function noError(): undefined {
  return undefined
}

/** Returns whether the service refuses what it may have answered before. */
export function isRefusal(error: unknown): error is RollkeyError {
  return error instanceof RollkeyError && (error.status === 401 || error.status === 403)
}
