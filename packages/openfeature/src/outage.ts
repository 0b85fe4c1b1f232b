import { setTimeout as wait } from 'node:timers/promises'
import { ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk'
import type { Client } from '@rollkey/sdk'

export interface OutageParts {
  readonly client: Client
  readonly events: OpenFeatureEventEmitter
  /** Interval between two checks whether the service is back, in milliseconds. */
  readonly intervalMs: number
  readonly signal: AbortSignal
}

/** Emits Stale when the service becomes unreachable and Ready when it is back. */
export class Outage {
  readonly #parts: OutageParts
  #isUnderWay = false

  constructor(parts: OutageParts) {
    this.#parts = parts
  }

  /** Handles a sign that the service is unreachable. Checks that itself, since the service may be back already. */
  async suspect(): Promise<void> {
    if (this.#isUnderWay) return
    this.#isUnderWay = true
    if (!(await this.#isReachable())) {
      this.#emit(ProviderEvents.Stale)
      await this.waitForEnd()
    }
    this.#isUnderWay = false
  }

  /** Waits for the end of a known outage, then emits Ready. */
  async waitForEnd(): Promise<void> {
    this.#isUnderWay = true
    const { intervalMs, signal } = this.#parts
    do {
      await wait(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
    } while (!signal.aborted && !(await this.#isReachable()))
    this.#isUnderWay = false
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
