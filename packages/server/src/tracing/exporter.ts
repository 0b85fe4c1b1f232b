/** Sends spans to a collector by OTLP over HTTP, as JSON. Nothing waits for it, and what it cannot send in time is dropped and counted. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Timer } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { encodeSpans, type Source, type Span } from './otlp.ts'

const intervalMs = 5_000
const timeoutMs = 10_000
/** Maximum spans in memory. */
const maxSpans = 2_048
/** Maximum spans in a request, and from how many on they are sent at once. */
const batchSpans = 512
/** Statuses of a collector that takes the same spans later (OTLP specification, "Retryable response codes"). */
const retryable = new Set([429, 502, 503, 504])

export interface ExporterParts {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly source: Source
  readonly clock: Timer
  readonly log: Log
  /** How long a stop waits for the collector, in milliseconds. @default 500 */
  readonly closeMs?: number
}

export interface TraceMetrics {
  readonly exported: number
  readonly dropped: number
}

export class Exporter {
  readonly #parts: ExporterParts
  readonly #endInterval: () => void
  readonly #abort = new AbortController()
  readonly #counts = { exported: 0, dropped: 0 }
  #spans: Span[] = []
  #round: Promise<void> | undefined
  #isFailing = false

  constructor(parts: ExporterParts) {
    this.#parts = parts
    this.#endInterval = parts.clock.every(intervalMs, () => this.#begin())
  }

  get metrics(): TraceMetrics {
    return this.#counts
  }

  /** Takes a span. If there are too many, the oldest is dropped. */
  add(span: Span): void {
    this.#spans.push(span)
    this.#dropOldest()
    if (this.#spans.length >= batchSpans && !this.#isFailing) this.#begin()
  }

  /** Sends what is left, but waits only a moment. */
  async close(): Promise<void> {
    this.#endInterval()
    const isOver = new AbortController()
    const last = (this.#round ?? Promise.resolve()).then(() => this.#send())
    const { closeMs = 500 } = this.#parts
    await Promise.race([last, sleep(closeMs, undefined, { signal: isOver.signal }).catch(() => undefined)])
    isOver.abort()
    this.#abort.abort()
    await last
    this.#counts.dropped += this.#spans.length
    this.#spans = []
  }

  #begin(): void {
    this.#round ??= this.#send().finally(() => (this.#round = undefined))
  }

  /** Sends batches until there is no span or one was not accepted. */
  async #send(): Promise<void> {
    while (this.#spans.length > 0 && !this.#abort.signal.aborted) {
      const batch = this.#spans.splice(0, batchSpans)
      const outcome = await this.#post(batch)
      if (outcome === 'accepted') this.#counts.exported += batch.length
      if (outcome === 'refused') this.#counts.dropped += batch.length
      if (outcome !== 'later') continue
      this.#spans = [...batch, ...this.#spans]
      this.#dropOldest()
      return
    }
  }

  async #post(batch: readonly Span[]): Promise<'accepted' | 'refused' | 'later'> {
    const { url, headers, source } = this.#parts
    try {
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(timeoutMs)]),
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(encodeSpans(source, batch)),
      })
      // The head is sufficient, and the body may never end.
      answer.body?.cancel().catch(() => undefined)
      if (answer.ok) {
        this.#isFailing = false
        return 'accepted'
      }
      this.#fail(`status ${answer.status}`)
      return retryable.has(answer.status) ? 'later' : 'refused'
    } catch (error) {
      this.#fail(reasonOf(error))
      return 'later'
    }
  }

  #fail(reason: string): void {
    // What the stop aborted says nothing about the collector.
    if (!this.#isFailing && !this.#abort.signal.aborted)
      this.#parts.log.warn('the collector did not accept traces', { reason })
    this.#isFailing = true
  }

  #dropOldest(): void {
    const tooMany = this.#spans.length - maxSpans
    if (tooMany <= 0) return
    this.#spans.splice(0, tooMany)
    this.#counts.dropped += tooMany
  }
}
