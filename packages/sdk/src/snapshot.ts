/** Saves the cache as a text that outlives the process, so that a program can start while the service cannot be reached. */
import type { Entries } from './entries.ts'
import { RollkeyError } from './errors.ts'
import type { Host } from './host.ts'
import type { EvaluatedVariable } from './wire.ts'
import type { Snapshot } from './types.ts'

/** Minimum interval between two saves, in milliseconds. */
const saveIntervalMs = 1_000

interface Contents {
  readonly version: 1
  /** Address of the service. The cache never uses the values of another service. */
  readonly url: string
  readonly entries: readonly (readonly [key: string, evaluated: EvaluatedVariable])[]
}

/** Saves a text soon after it changes, at most once a second. */
export class SnapshotSaver {
  readonly #save: (text: string) => Promise<void>
  readonly #text: () => string
  readonly #host: Host
  readonly #closing: AbortSignal
  #isDirty = false
  #isSaving = false

  /** `text` returns what to save at that time. */
  constructor(snapshot: Snapshot, text: () => string, context: { host: Host; closing: AbortSignal }) {
    this.#save = (saved) => snapshot.save(saved)
    this.#text = text
    this.#host = context.host
    this.#closing = context.closing
  }

  changed(): void {
    this.#isDirty = true
    if (this.#isSaving) return
    this.#isSaving = true
    // Waits for the other values of the same batch, which arrive in this turn.
    this.#host.afterTurn(() => void this.#saveAll())
  }

  async #saveAll(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false
      // oxlint-disable-next-line no-await-in-loop -- saves run one after the other
      await this.#save(this.#text()).catch(() => undefined)
      await this.#host.wait(saveIntervalMs, { signal: this.#closing, idle: true })
    }
    this.#isSaving = false
  }
}

/** Keeps the entries of a cache in a snapshot. */
export class SnapshotKeeper {
  readonly #snapshot: Snapshot
  readonly #url: string
  readonly #entries: Entries
  readonly #saver: SnapshotSaver
  #loaded: Promise<void> | undefined

  constructor(snapshot: Snapshot, entries: Entries, context: { url: string; host: Host; closing: AbortSignal }) {
    this.#snapshot = snapshot
    this.#url = context.url
    this.#entries = entries
    this.#saver = new SnapshotSaver(snapshot, () => this.#text(), context)
  }

  /** Fills the cache with the saved values, once. They have no known revision, so they are used only during an outage. */
  load(): Promise<void> {
    this.#loaded ??= this.#load()
    return this.#loaded
  }

  /** Saves soon, at most once a second. */
  changed(): void {
    this.#saver.changed()
  }

  async #load(): Promise<void> {
    try {
      const text = await this.#snapshot.load()
      if (text === undefined) return
      const { version, url, entries } = JSON.parse(text) as Contents
      if (version !== 1 || url !== this.#url) return
      for (const [key, outcome] of entries) this.#entries.set(key, { outcome, revision: undefined, atMs: -Infinity })
    } catch {
      // A snapshot is optional: the service has every value.
    }
  }

  #text(): string {
    const known = [...this.#entries.all()].flatMap(([key, { outcome }]) =>
      outcome instanceof RollkeyError ? [] : [[key, outcome] as const],
    )
    return JSON.stringify({ version: 1, url: this.#url, entries: known } satisfies Contents)
  }
}
