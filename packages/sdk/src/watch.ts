import type { Connection } from './connection.ts'
import type { StreamedRevision, Streams } from './live/streams.ts'
import type { Revisions } from './revisions.ts'
import type { StageChange, StageRef, WatchOptions } from './types.ts'

interface WatchParts {
  readonly connection: Connection
  readonly revisions: Revisions
  readonly streams: Streams
}

type ChangeListener = (change: StageChange) => void

/** Reports the revisions of a stage by the project's stream, and by polling while there is none. */
export class Watch {
  readonly #parts: WatchParts
  readonly #stageRef: StageRef
  readonly #listener: ChangeListener
  readonly #onReachable: NonNullable<WatchOptions['onReachable']>
  readonly #ending = new AbortController()
  #lastRevision: number | undefined
  #stream: 'none' | 'open' | 'lost' = 'none'
  #isReachable = true
  /** Ends the wait between two polls. */
  #pollNow = (): void => {}

  private constructor(parts: WatchParts, stageRef: StageRef, listener: ChangeListener, options: WatchOptions) {
    this.#parts = parts
    this.#stageRef = stageRef
    this.#listener = listener
    this.#onReachable = options.onReachable ?? (() => {})
    this.#lastRevision = options.since ?? parts.revisions.of(stageRef).revision
  }

  /** Watches until the signal or the connection ends. An error that a listener throws ends the watch and is not caught. */
  static start(parts: WatchParts, stageRef: StageRef, listener: ChangeListener, options: WatchOptions): void {
    const { intervalMs = 30_000, signal } = options
    const watch = new Watch(parts, stageRef, listener, options)
    const end = (): void => watch.#ending.abort()
    for (const each of [signal, parts.connection.closing]) {
      if (each?.aborted) return
      each?.addEventListener('abort', end, { signal: watch.#ending.signal })
    }
    parts.streams.subscribe(stageRef, (streamed) => void watch.#receive(streamed), watch.#ending.signal)
    void watch.#poll(intervalMs)
  }

  async #receive(streamed: StreamedRevision | undefined): Promise<void> {
    if (!streamed) return this.#lose()
    this.#stream = 'open'
    this.#noteReachable(true)
    const { revision, names, after } = streamed
    if (revision === undefined) return this.#ask()
    this.#parts.revisions.of(this.#stageRef).advance(revision)
    // A revision between this watch's last one and `after` may have changed other names.
    const isComplete = names && this.#lastRevision !== undefined && this.#lastRevision >= after
    this.#report({ revision, ...(isComplete && { names }) })
  }

  /** Requests the revision that an open stream does not say. If that fails, polls until the stream says more. */
  async #ask(): Promise<void> {
    const stage = this.#parts.revisions.of(this.#stageRef)
    const isAnswered = await stage.checkAfterwards().then(
      () => true,
      () => false,
    )
    if (!isAnswered) this.#stream = 'none'
    else if (stage.revision !== undefined) this.#report({ revision: stage.revision })
  }

  /** A stream that ends is opened again within a second. If that fails, polling must not wait for its interval. */
  #lose(): void {
    const mustPoll = this.#stream === 'lost'
    this.#stream = this.#stream === 'open' ? 'lost' : 'none'
    if (mustPoll) this.#pollNow()
  }

  async #poll(intervalMs: number): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      if (this.#stream !== 'open') await this.#pollOnce()
      const { host } = this.#parts.connection
      const waiting = new AbortController()
      this.#pollNow = () => waiting.abort()
      signal.addEventListener('abort', this.#pollNow, { signal: waiting.signal })
      await host.wait(intervalMs, { signal: waiting.signal, idle: true })
      waiting.abort()
    }
  }

  /** Requests the revision. A call that needs a value will report the error. */
  async #pollOnce(): Promise<void> {
    const stage = this.#parts.revisions.of(this.#stageRef)
    const isAnswered = await stage.check().then(
      () => true,
      () => false,
    )
    // The stream may have begun during the request, and be ahead of it.
    if (this.#stream === 'open') return
    this.#noteReachable(isAnswered)
    if (isAnswered && stage.revision !== undefined) this.#report({ revision: stage.revision })
  }

  #noteReachable(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return
    this.#isReachable = isReachable
    this.#call(() => this.#onReachable(isReachable))
  }

  #report(change: StageChange): void {
    const isNew = this.#lastRevision !== undefined && this.#lastRevision !== change.revision
    this.#lastRevision = change.revision
    if (isNew) this.#call(() => this.#listener(change))
  }

  #call(listener: () => void): void {
    if (this.#ending.signal.aborted) return
    try {
      listener()
    } catch (error) {
      this.#ending.abort()
      throw error
    }
  }
}
