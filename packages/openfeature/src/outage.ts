import { setTimeout as wait } from 'node:timers/promises'
import { ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk'
import type { Client } from '@rollkey/sdk'

export interface OutageParts {
  readonly client: Client
  readonly events: OpenFeatureEventEmitter
  /** How often to check whether the service is reachable again, in milliseconds. */
  readonly intervalMs: number
  readonly signal: AbortSignal
}

/** Emits Stale when the service becomes unreachable, and Ready when it is reachable again. */
export class Outage {
  readonly #parts: OutageParts
  #isActive = false

  constructor(parts: OutageParts) {
    this.#parts = parts
  }

  /** Checks whether the service is unreachable, as a request has suggested. It may be reachable again already. */
  async suspect(): Promise<void> {
    if (this.#isActive) return
    this.#isActive = true
    if (!(await this.#isReachable())) {
      this.#emit(ProviderEvents.Stale)
      await this.waitForEnd()
    }
    this.#isActive = false
  }

  /** Waits for the end of a known outage, then emits Ready. */
  async waitForEnd(): Promise<void> {
    this.#isActive = true
    const { intervalMs, signal } = this.#parts
    do {
      await wait(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
    } while (!signal.aborted && !(await this.#isReachable()))
    this.#isActive = false
    this.#emit(ProviderEvents.Ready)
  }

  #isReachable(): Promise<boolean> {
    return this.#parts.client.manifest().then(
      () => true,
      () => false,
    )
  }

  #emit(event: ProviderEvents.Stale | ProviderEvents.Ready): void {
    if (!this.#parts.signal.aborted) this.#parts.events.emit(event)
  }
}
