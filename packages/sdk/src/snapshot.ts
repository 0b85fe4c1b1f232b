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

export class SnapshotKeeper {
  readonly #snapshot: Snapshot
  readonly #url: string
  readonly #entries: Entries
  readonly #host: Host
  readonly #closing: AbortSignal
  #loaded: Promise<void> | undefined
  #isDirty = false
  #isSaving = false

  constructor(snapshot: Snapshot, entries: Entries, context: { url: string; host: Host; closing: AbortSignal }) {
    this.#snapshot = snapshot
    this.#entries = entries
    this.#url = context.url
    this.#host = context.host
    this.#closing = context.closing
  }

  /** Fills the cache with the saved values, once. They have no known revision, so they are used only during an outage. */
  load(): Promise<void> {
    this.#loaded ??= this.#load()
    return this.#loaded
  }

  /** Saves soon, at most once a second. */
  changed(): void {
    this.#isDirty = true
    if (this.#isSaving) return
    this.#isSaving = true
    // Waits for the other values of the same batch, which arrive in this turn.
    this.#host.afterTurn(() => void this.#save())
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

  async #save(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false
      // oxlint-disable-next-line no-await-in-loop -- saves run one after the other
      await this.#snapshot.save(this.#text()).catch(() => undefined)
      await this.#host.wait(saveIntervalMs, { signal: this.#closing, idle: true })
    }
    this.#isSaving = false
  }

  #text(): string {
    const known = [...this.#entries.all()].flatMap(([key, { outcome }]) =>
      outcome instanceof RollkeyError ? [] : [[key, outcome] as const],
    )
    return JSON.stringify({ version: 1, url: this.#url, entries: known } satisfies Contents)
  }
}
