/** Keeps the ruleset of a stage current: by the stream of its project, and by asking for it while there is none. */
import type { Connection, TaggedAnswer } from '../connection.ts'
import { RollkeyError } from '../errors.ts'
import type { StreamedRevision, Streams } from '../live/streams.ts'
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
  /** Receives another ruleset, with the names that changed if they are known. */
  readonly onRuleset: (ruleset: TaggedRuleset, names: readonly string[] | undefined) => void
  /** Tells that the ruleset is the current one: undefined; or why that is not known. */
  readonly onState: (problem: RollkeyError | undefined) => void
}

/** What a feed is about. */
interface FeedOptions {
  readonly stageRef: StageRef
  readonly names: readonly string[] | undefined
  /** Interval between two requests while there is no stream, in milliseconds. */
  readonly intervalMs: number
}

const backOff = { baseDelayMs: 1_000, maxDelayMs: 30_000 }

export class RulesetFeed {
  readonly #parts: FeedParts
  readonly #options: FeedOptions
  readonly #listener: FeedListener
  #etag: string | undefined
  #revision: number | undefined
  /** What the stream told last. Without a revision, the stage must be asked. */
  #streamed: StreamedRevision | undefined
  #stream: 'none' | 'open' | 'lost' = 'none'
  #failures = 0
  #wake = (): void => {}
  #isDue = false
  #fetching: Promise<void> | undefined

  constructor(parts: FeedParts, options: FeedOptions, listener: FeedListener) {
    this.#parts = parts
    this.#options = options
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
    const { stageRef, names } = this.#options
    const request = { ...onWire(stageRef), ...(names && { names }) }
    try {
      const changed = await connection.ifChanged('ruleset', request, this.#etag)
      if (changed) {
        const changedNames = this.#namesOfChange(changed.answer.revision)
        this.resume(changed)
        this.#listener.onRuleset(changed, changedNames)
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
      this.#options.stageRef,
      (streamed) => {
        if (streamed) this.#receive(streamed)
        else this.#lose()
      },
      signal,
    )
    void this.#run(signal)
  }

  #receive(streamed: StreamedRevision): void {
    const { revision } = streamed
    this.#stream = 'open'
    this.#streamed = streamed
    if (revision !== undefined && revision === this.#revision) {
      this.#failures = 0
      this.#listener.onState(undefined)
    } else this.#askNow()
  }

  /** Returns the names that changed between the ruleset and a revision, if the stream told them. */
  #namesOfChange(to: number): readonly string[] | undefined {
    const { revision, names, after = Infinity } = this.#streamed ?? {}
    return revision === to && this.#revision !== undefined && this.#revision >= after ? names : undefined
  }

  /**
   * A stream that ends is opened again within a second. Each time that this fails, the ruleset is asked for: one answer proves little,
   * because a service that stops still answers on open connections.
   */
  #lose(): void {
    const mustAsk = this.#stream === 'lost' && this.#failures === 0
    // Until now, the stream has told each change.
    if (this.#stream === 'open' && this.#failures === 0) this.#listener.onState(undefined)
    if (this.#stream === 'open') this.#stream = 'lost'
    if (mustAsk) this.#askNow()
  }

  #askNow(): void {
    this.#isDue = true
    this.#wake()
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { intervalMs } = this.#options
    const bounds = { ...backOff, maxDelayMs: Math.min(backOff.maxDelayMs, intervalMs) }
    let waitMs = intervalMs
    while (!signal.aborted) {
      if (!this.#isDue) await this.#wait(waitMs, signal)
      if (signal.aborted) return
      const isDue = this.#isDue || this.#failures > 0 || this.#stream !== 'open'
      this.#isDue = false
      const error = isDue ? await this.#fetchAfterwards() : undefined
      // A revision that the stream has told and the service does not answer yet counts as a failure.
      const isBehind =
        error === undefined && this.#stream === 'open' && (this.#streamed?.revision ?? 0) > (this.#revision ?? 0)
      if (isBehind) this.#failures++
      waitMs = this.#failures > 0 ? retryAfterMs(error) + backOffMs(this.#failures, bounds, this.#host) : intervalMs
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
