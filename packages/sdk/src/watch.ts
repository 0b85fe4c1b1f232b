import type { Connection } from './connection.ts'
import type { Streams } from './live/streams.ts'
import type { Revisions } from './revisions.ts'
import type { StageRef, WatchOptions } from './types.ts'

interface WatchParts {
  readonly connection: Connection
  readonly revisions: Revisions
  readonly streams: Streams
}

type RevisionListener = (change: { readonly revision: number }) => void

/** Reports the revisions of a stage by the project's stream, and by polling while there is none. */
export class Watch {
  readonly #parts: WatchParts
  readonly #stageRef: StageRef
  readonly #listener: RevisionListener
  readonly #ending = new AbortController()
  #lastRevision: number | undefined
  #isConnected = false

  private constructor(parts: WatchParts, stageRef: StageRef, listener: RevisionListener, since: number | undefined) {
    this.#parts = parts
    this.#stageRef = stageRef
    this.#listener = listener
    this.#lastRevision = since ?? parts.revisions.of(stageRef).revision
  }

  /** Watches until the signal or the connection ends. An error that the listener throws ends the watch and is not caught. */
  static start(
    parts: WatchParts,
    stageRef: StageRef,
    listener: RevisionListener,
    { since, intervalMs = 30_000, signal }: WatchOptions,
  ): void {
    const watch = new Watch(parts, stageRef, listener, since)
    const end = (): void => watch.#ending.abort()
    for (const each of [signal, parts.connection.closing]) {
      if (each?.aborted) return
      each?.addEventListener('abort', end, { signal: watch.#ending.signal })
    }
    parts.streams.subscribe(stageRef, (revision) => void watch.#receive(revision), watch.#ending.signal)
    void watch.#poll(intervalMs)
  }

  async #receive(revision: number | undefined): Promise<void> {
    this.#isConnected = revision !== undefined
    if (revision === undefined) return
    this.#parts.revisions.of(this.#stageRef).advance(revision)
    this.#report(revision)
  }

  async #poll(intervalMs: number): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      const revision = this.#isConnected ? undefined : await this.#checkedRevision()
      // The stream may have begun during the request, and be ahead of it.
      if (revision !== undefined && !this.#isConnected) this.#report(revision)
      await this.#parts.connection.host.wait(intervalMs, { signal, idle: true })
    }
  }

  /** Requests the revision. Returns undefined after an error, which a call that needs a value will report. */
  async #checkedRevision(): Promise<number | undefined> {
    const stage = this.#parts.revisions.of(this.#stageRef)
    try {
      await stage.check()
      return stage.revision
    } catch {
      return undefined
    }
  }

  #report(revision: number): void {
    if (this.#ending.signal.aborted) return
    const isNew = this.#lastRevision !== undefined && this.#lastRevision !== revision
    this.#lastRevision = revision
    if (!isNew) return
    try {
      this.#listener({ revision })
    } catch (error) {
      this.#ending.abort()
      throw error
    }
  }
}
