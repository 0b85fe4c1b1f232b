import { setTimeout as wait } from 'node:timers/promises'
import { ErrorCode, ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk'
import type { Client } from '@rollkey/sdk'
import { isTransient } from './errors.ts'

export interface OutageParts {
  readonly client: Client
  readonly events: OpenFeatureEventEmitter
  /** How often to check whether the service answers again, in milliseconds. */
  readonly intervalMs: number
  readonly signal: AbortSignal
}

/** The events that tell whether a provider works. */
type Status = ProviderEvents.Ready | ProviderEvents.Stale | ProviderEvents.Error

/**
 * Emits Stale when the service becomes unreachable, Error when it refuses the credential, and Ready when it answers again.
 */
export class Outage {
  readonly #parts: OutageParts
  #status: Status = ProviderEvents.Ready
  /** Whether a check is in progress, as the start is. */
  #isChecking = true
  /** Ends the wait between two checks. */
  #checkNow = (): void => {}

  constructor(parts: OutageParts) {
    this.#parts = parts
  }

  /** Begins after the start, whose failure OpenFeature has reported as an error. */
  begin(hasFailed: boolean): void {
    this.#isChecking = false
    if (!hasFailed) return
    this.#status = ProviderEvents.Error
    this.suspect()
  }

  /** Checks whether the service answers, as something has suggested that it does not. It may answer again already. */
  suspect(): void {
    if (!this.#isChecking) void this.#check()
  }

  /** Checks at once, as something has suggested that the service answers again. */
  suspectEnd(): void {
    this.#checkNow()
  }

  /** Checks until the service answers. */
  async #check(): Promise<void> {
    const { client, signal, intervalMs } = this.#parts
    this.#isChecking = true
    while (!signal.aborted) {
      const problem = await client.manifest().then(
        () => undefined,
        (error: unknown) => error as Error,
      )
      this.#report(problem)
      if (!problem) break
      const waiting = new AbortController()
      this.#checkNow = () => waiting.abort()
      signal.addEventListener('abort', this.#checkNow, { signal: waiting.signal })
      await wait(intervalMs, undefined, { signal: waiting.signal, ref: false }).catch(() => undefined)
      waiting.abort()
    }
    this.#isChecking = false
  }

  #report(problem: Error | undefined): void {
    const status = statusOf(problem)
    // After an error, an outage makes nothing stale.
    const isSame = status === this.#status || (status === ProviderEvents.Stale && this.#status === ProviderEvents.Error)
    if (isSame || this.#parts.signal.aborted) return
    this.#status = status
    const isError = problem && status === ProviderEvents.Error
    this.#parts.events.emit(status, isError ? { message: problem.message, errorCode: ErrorCode.GENERAL } : undefined)
  }
}

function statusOf(problem: Error | undefined): Status {
  if (!problem) return ProviderEvents.Ready
  return isTransient(problem) ? ProviderEvents.Stale : ProviderEvents.Error
}
