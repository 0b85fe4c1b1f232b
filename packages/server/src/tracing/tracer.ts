/** Records a span for each request, and spans below it for what the request waits for. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Span } from './otlp.ts'
import type { Sampler } from './settings.ts'
import { traceParentOf, type TraceParent } from './trace-context.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

/** Receives every answer, as the metrics do. */
interface Observer {
  answered(endpoint: string, status: number, milliseconds: number, orgId?: string): void
}

/** Maximum spans below that of one request, so that one write of thousands of variables does not push out all others. */
const maxChildren = 100

/** A request that is being answered. */
interface Root {
  readonly traceId: string
  readonly id: string
  readonly callerId: string | undefined
  readonly method: string
  readonly startMs: number
  readonly startedAt: number
  /** Spans below it, which are sent with it. A request that is not observed sends none. */
  readonly spans: Span[]
  children: number
  hasEnded: boolean
}

/** What new spans are below. */
interface Current {
  readonly root: Root
  readonly id: string
}

interface ChildSpan {
  readonly name: string
  readonly kind: 'internal' | 'client'
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Ends a span. */
export type EndSpan = (hasFailed: boolean, attributes?: ChildSpan['attributes']) => void

/** Returns an id of some hexadecimal digits. Node keeps random bytes ready for UUIDs, whose last 60 bits are random. */
function newId(digits: 16 | 32): string {
  return randomUUID().replaceAll('-', '').slice(-digits)
}

/**
 * Returns whether a trace belongs to the share. Its last 56 bits are random (W3C Trace Context Level 2), so all services agree. A number
 * holds the first 52 of them.
 */
function isInShare(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-14, -1), 16) >= (1 - ratio) * 2 ** 52
}

export class Tracer {
  readonly #sampler: Sampler
  readonly #clock: Clock
  readonly #add: (span: Span) => void
  readonly #storage = new AsyncLocalStorage<Current | undefined>()

  constructor({ sampler, clock, add }: { sampler: Sampler; clock: Clock; add: (span: Span) => void }) {
    this.#sampler = sampler
    this.#clock = clock
    // Sending spans does not belong to the request that ended the last one.
    this.#add = (span) => this.#storage.run(undefined, add, span)
  }

  /** Returns what answers requests, so that those of a recorded trace have a span. */
  traced(answer: Answer): Answer {
    return (request, response) => {
      const caller = traceParentOf(request.headers['traceparent'])
      const traceId = caller?.traceId ?? newId(32)
      if (!this.#isRecorded(traceId, caller)) return answer(request, response)
      const root: Root = {
        traceId,
        id: newId(16),
        callerId: caller?.parentId,
        method: request.method ?? '',
        startMs: this.#clock.now(),
        startedAt: performance.now(),
        spans: [],
        children: 0,
        hasEnded: false,
      }
      // The lines of the log then name the trace.
      if (!caller) request.headers['traceparent'] = `00-${traceId}-${root.id}-01`
      return this.#storage.run({ root, id: root.id }, answer, request, response)
    }
  }

  /** Returns an observer that also ends the span of the request that was answered. */
  observing(observer: Observer): Observer {
    return {
      answered: (endpoint, status, milliseconds, orgId) => {
        observer.answered(endpoint, status, milliseconds, orgId)
        const current = this.#storage.getStore()
        if (current) this.#endRoot(current.root, { endpoint, status, orgId })
      },
    }
  }

  /** Begins a span below the one of this request. Returns what ends it; undefined outside a recorded request. */
  begin({ name, kind, attributes }: ChildSpan): { readonly end: EndSpan; readonly current: Current } | undefined {
    const parent = this.#storage.getStore()
    if (!parent) return undefined
    const { root } = parent
    // Work that outlives its request, such as a timer, is not a part of it.
    if (root.hasEnded || ++root.children > maxChildren) return undefined
    const id = newId(16)
    const startMs = this.#msIn(root)
    const { traceId } = root
    const end: EndSpan = (hasFailed, more) => {
      const times = { startMs, endMs: this.#msIn(root) }
      const all = { ...attributes, ...more }
      const span = { traceId, id, parentId: parent.id, name, kind, ...times, attributes: all, hasFailed }
      if (root.hasEnded) this.#add(span)
      else root.spans.push(span)
    }
    return { end, current: { root, id } }
  }

  /** Does work within a span below the one of this request. */
  async within<T>(child: ChildSpan, work: () => Promise<T>): Promise<T> {
    const span = this.begin(child)
    if (!span) return work()
    try {
      const result = await this.#storage.run(span.current, work)
      span.end(false)
      return result
    } catch (error) {
      span.end(true)
      throw error
    }
  }

  #isRecorded(traceId: string, caller: TraceParent | undefined): boolean {
    const { followsCaller, ratio } = this.#sampler
    return followsCaller && caller ? caller.isSampled : isInShare(traceId, ratio)
  }

  /** Returns the time. Within a trace it never goes back, even if someone sets the clock. */
  #msIn({ startMs, startedAt }: Root): number {
    return startMs + performance.now() - startedAt
  }

  #endRoot(root: Root, answer: { endpoint: string; status: number; orgId: string | undefined }): void {
    if (root.hasEnded) return
    root.hasEnded = true
    const { traceId, id, callerId, method, startMs, children } = root
    const { endpoint, status, orgId } = answer
    const hasFailed = status >= 500
    for (const span of root.spans.splice(0)) this.#add(span)
    this.#add({
      traceId,
      id,
      parentId: callerId,
      name: endpoint,
      kind: 'server',
      startMs,
      endMs: this.#msIn(root),
      attributes: {
        'http.request.method': method,
        'http.response.status_code': status,
        ...(hasFailed && { 'error.type': String(status) }),
        ...(orgId !== undefined && { 'rollkey.organization': orgId }),
        ...(children > maxChildren && { 'rollkey.spans_not_recorded': children - maxChildren }),
      },
      hasFailed,
    })
  }
}
